-- Deadlines, snapshots, values that expire, a key, and plain names in events.

ALTER TABLE match ADD COLUMN due DOUBLE PRECISION;
-- Old matches have no stored deadline: each open one is loaded once to compute it.
UPDATE match SET due = created WHERE NOT archived;
-- Partial indexes: the number of archived matches only grows.
DROP INDEX match_open;
CREATE INDEX match_created ON match (created) WHERE NOT archived;
CREATE INDEX match_due ON match (due) WHERE NOT archived AND due IS NOT NULL;
CREATE TABLE snapshot (
    match TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE item (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE INDEX item_expires ON item (expires);
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- A quotation mark inside a text is escaped in JSON, so these names never match what players wrote.
UPDATE event SET body = replace(replace(body, '{"kind":"did",', '{"kind":"acted",'), '"deed":', '"action":')
    WHERE substr(body, 1, 14) = '{"kind":"did",';
UPDATE event SET body = replace(body, '"rules":', '"settings":')
    WHERE substr(body, 1, 18) = '{"kind":"created",' OR substr(body, 1, 21) = '{"kind":"configured",';
UPDATE event SET body = replace(body, '{"kind":"was_set_up",', '{"kind":"position_set",')
    WHERE substr(body, 1, 21) = '{"kind":"was_set_up",';

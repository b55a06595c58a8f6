-- Matches and their events.

CREATE TABLE match (
    id TEXT NOT NULL PRIMARY KEY,
    created DOUBLE PRECISION NOT NULL,
    archived BOOLEAN NOT NULL
);
CREATE INDEX match_open ON match (id) WHERE NOT archived;
CREATE TABLE event (
    match TEXT NOT NULL,
    version INTEGER NOT NULL,
    previous INTEGER, -- version - 1, or NULL: the foreign key refuses a gap
    time DOUBLE PRECISION NOT NULL,
    request TEXT NOT NULL,
    body TEXT NOT NULL,
    hidden TEXT NOT NULL,
    PRIMARY KEY (match, version),
    FOREIGN KEY (match, previous) REFERENCES event (match, version),
    CONSTRAINT event_follows CHECK (version = coalesce(previous, 0) + 1)
);

-- 0001
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE "match" (
    id TEXT NOT NULL,
    created DOUBLE NOT NULL,
    archived BOOLEAN NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX match_open ON "match" (id) WHERE NOT archived;
CREATE TABLE event (
    "match" TEXT NOT NULL,
    version INTEGER NOT NULL,
    previous INTEGER,
    time DOUBLE NOT NULL,
    request TEXT NOT NULL,
    body TEXT NOT NULL,
    hidden TEXT NOT NULL,
    PRIMARY KEY ("match", version),
    FOREIGN KEY("match", previous) REFERENCES event ("match", version),
    CONSTRAINT event_follows CHECK (version = coalesce(previous, 0) + 1)
);
INSERT INTO alembic_version (version_num) VALUES ('0001');
-- 0002
ALTER TABLE "match" ADD COLUMN due DOUBLE;
DROP INDEX match_open;
CREATE INDEX match_created ON "match" (created) WHERE NOT archived;
CREATE INDEX match_due ON "match" (due) WHERE NOT archived AND due IS NOT NULL;
CREATE TABLE snapshot (
    "match" TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY ("match")
);
CREATE TABLE item (
    kind TEXT NOT NULL,
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    expires DOUBLE NOT NULL,
    PRIMARY KEY (kind, "key")
);
CREATE INDEX item_expires ON item (expires);
CREATE TABLE meta (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)
);
INSERT INTO meta (name, value) VALUES ('key', '68125ca519581c03b600dc6edd7059ee806c148175566f4d34d118c651f22569');
UPDATE alembic_version SET version_num='0002' WHERE alembic_version.version_num = '0001';
-- 0003
CREATE TABLE worker (
    id TEXT NOT NULL,
    expires DOUBLE NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE lease (
    "match" TEXT NOT NULL,
    worker TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY ("match")
);
CREATE TABLE presence (
    "match" TEXT NOT NULL,
    worker TEXT NOT NULL,
    members TEXT NOT NULL,
    PRIMARY KEY ("match", worker)
);
CREATE INDEX lease_worker ON lease (worker);
CREATE INDEX presence_worker ON presence (worker);
UPDATE alembic_version SET version_num='0003' WHERE alembic_version.version_num = '0002';

-- Servers, their leases, and who is connected to them.

CREATE TABLE worker (
    id TEXT NOT NULL PRIMARY KEY,
    expires DOUBLE PRECISION NOT NULL
);
-- A lease is valid as long as its server: one row is renewed for all leases of a server.
CREATE TABLE lease (
    match TEXT NOT NULL PRIMARY KEY,
    worker TEXT NOT NULL,
    epoch INTEGER NOT NULL
);
CREATE INDEX lease_worker ON lease (worker);
CREATE TABLE presence (
    match TEXT NOT NULL,
    worker TEXT NOT NULL,
    members TEXT NOT NULL,
    PRIMARY KEY (match, worker)
);
CREATE INDEX presence_worker ON presence (worker);

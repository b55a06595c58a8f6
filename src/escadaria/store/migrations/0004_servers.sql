-- A server is called so; a worker is a process that computes.

ALTER TABLE worker RENAME TO server;
ALTER TABLE lease RENAME COLUMN worker TO server;
ALTER TABLE presence RENAME COLUMN worker TO server;
DROP INDEX lease_worker;
DROP INDEX presence_worker;
CREATE INDEX lease_server ON lease (server);
CREATE INDEX presence_server ON presence (server);

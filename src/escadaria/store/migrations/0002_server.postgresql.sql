-- The statistics of columns contain sample values, which would survive the deletion of a name.

ALTER TABLE event ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE event ALTER COLUMN hidden SET STATISTICS 0;
ALTER TABLE snapshot ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE item ALTER COLUMN value SET STATISTICS 0;

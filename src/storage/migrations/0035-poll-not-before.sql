-- Until when a service asked to be left alone, by the clock of the database.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_not_before timestamptz(3);

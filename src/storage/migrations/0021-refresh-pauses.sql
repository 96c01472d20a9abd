-- A refresh that failed is not tried again before `refresh_paused_until`, by no process; a refresh that works and new contents clear all of it.
ALTER TABLE credential ADD COLUMN IF NOT EXISTS refresh_failures integer NOT NULL DEFAULT 0;
ALTER TABLE credential ADD COLUMN IF NOT EXISTS refresh_failing_since timestamptz;
ALTER TABLE credential ADD COLUMN IF NOT EXISTS refresh_paused_until timestamptz;
ALTER TABLE credential ADD COLUMN IF NOT EXISTS refresh_error text;

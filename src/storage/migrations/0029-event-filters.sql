-- Which events of a webhook start runs: names and places as JSON lists, empty for all, and an expression that has to give true.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS events text NOT NULL DEFAULT '[]';
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS places text NOT NULL DEFAULT '[]';
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS filter text NOT NULL DEFAULT '';

-- Which methods a webhook takes, with commas in between.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS methods text NOT NULL DEFAULT 'POST';

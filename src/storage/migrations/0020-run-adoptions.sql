-- Where a run stood when it was last taken up anew, and how often it was since without getting any further: a run that ends every process that has it
-- must not go on doing so.
ALTER TABLE run ADD COLUMN IF NOT EXISTS adopted_at_mark text;
ALTER TABLE run ADD COLUMN IF NOT EXISTS adoptions_at_mark integer NOT NULL DEFAULT 0;

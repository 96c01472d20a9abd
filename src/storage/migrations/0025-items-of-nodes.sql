-- What came of each item of a node, beside the outputs of all of them: which are done, from which item an output came, how often others failed.
ALTER TABLE run_node ADD COLUMN IF NOT EXISTS items text;
ALTER TABLE run_node ADD COLUMN IF NOT EXISTS total integer NOT NULL DEFAULT 0;
-- The items that may have been done when the process of a running node falls silent, and that must not be done twice; null for all that are not done.
ALTER TABLE run_node ADD COLUMN IF NOT EXISTS under_way text;

-- What is worth knowing of a node although nothing failed: where the items of a disabled one went, what found no match in a join.
ALTER TABLE run_node ADD COLUMN IF NOT EXISTS note text;

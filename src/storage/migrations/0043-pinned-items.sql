-- How many items are pinned to a node, so that a list need not read the data itself. Null where they were pinned before this: they are counted when
-- they are listed, so that no row is written anew here.
ALTER TABLE workflow_pin ADD COLUMN IF NOT EXISTS item_count integer;

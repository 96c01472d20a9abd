-- How many items are pinned to a node, so that a list need not read the data itself.
ALTER TABLE workflow_pin ADD COLUMN IF NOT EXISTS item_count integer NOT NULL DEFAULT 0;
UPDATE workflow_pin SET item_count = (SELECT coalesce(sum(json_array_length(items)), 0) FROM json_each(outputs::json) AS way(name, items))
  WHERE item_count = 0;

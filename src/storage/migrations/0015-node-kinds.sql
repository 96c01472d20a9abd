-- Which kinds of nodes a workflow has, each once, for lists that show it without its canvas.
ALTER TABLE workflow ADD COLUMN node_kinds text[] NOT NULL DEFAULT '{}';

-- By its text: a canvas may hold characters that the JSON of PostgreSQL refuses, and no text inside a value has these quotes unescaped.
UPDATE workflow SET node_kinds = ARRAY(
  SELECT match.found[1]
  FROM workflow_version AS newest, regexp_matches(newest.canvas, '"nodeId":"(\w+)"', 'g') WITH ORDINALITY AS match (found, place)
  WHERE newest.organization_id = workflow.organization_id AND newest.workflow_id = workflow.id AND newest.version = workflow.version
  GROUP BY match.found[1]
  ORDER BY min(match.place)
);

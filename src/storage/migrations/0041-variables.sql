-- Plain values that every expression of an organization's workflows can name as $vars. No secrets: those are credentials.
CREATE TABLE IF NOT EXISTS workflow_variable (
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  name text NOT NULL,
  -- JSON text of a text, a number or a boolean.
  value text NOT NULL,
  changed_by_name text,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, name)
);

-- Those that a run names, as they were when it began; null where it names none. Text of a JSON object.
ALTER TABLE run ADD COLUMN IF NOT EXISTS variables text;

-- What is done to run stands before what is done to workflow: lists lock them in this order, and the other one could block both for good.
ALTER TABLE run DROP CONSTRAINT IF EXISTS run_kind_check;
ALTER TABLE run ADD CONSTRAINT run_kind_check
  CHECK (kind IN ('manual', 'api', 'schedule', 'webhook', 'poll', 'workflow', 'tool', 'editor', 'step', 'error')) NOT VALID;

CREATE OR REPLACE FUNCTION note_failed_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  named text;
  chosen uuid;
BEGIN
  SELECT error_workflow INTO named FROM workflow WHERE organization_id = NEW.organization_id AND id = NEW.workflow_id;
  IF named = 'default' THEN
    SELECT error_workflow_id INTO chosen FROM workflow_defaults WHERE organization_id = NEW.organization_id;
  ELSIF named <> 'none' THEN
    chosen := named::uuid;
  END IF;
  -- Never for itself.
  IF chosen <> NEW.workflow_id THEN
    INSERT INTO failed_run (organization_id, run_id, error_workflow_id) VALUES (NEW.organization_id, NEW.id, chosen) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

-- Not for runs of the editor, nor for what an error workflow does itself, nor for called runs: whoever called one is told, and fails in its place.
DROP TRIGGER IF EXISTS run_failed ON run;
CREATE TRIGGER run_failed AFTER UPDATE OF status ON run FOR EACH ROW
  WHEN (NEW.status = 'failed' AND OLD.status <> NEW.status AND NEW.workflow_version > 0 AND NEW.kind <> 'error' AND NEW.parent_run_id IS NULL)
  EXECUTE FUNCTION note_failed_run();

-- Which workflow is started when a run of this one fails: 'default' is the organization's, 'none' is none, anything else the id of a workflow.
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS error_workflow text NOT NULL DEFAULT 'default';

-- What holds for the workflows of an organization that say nothing else.
CREATE TABLE IF NOT EXISTS workflow_defaults (
  organization_id uuid PRIMARY KEY REFERENCES organization ON DELETE CASCADE,
  error_workflow_id uuid
);

-- Runs that failed and whose error workflow is still to be started. A row goes in with the end of its run and leaves with the start of the other one, so
-- that there is exactly one, whichever process dies. No foreign keys, as with run: the end of a run must not fail because of them.
CREATE TABLE IF NOT EXISTS failed_run (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  error_workflow_id uuid NOT NULL,
  -- When it is looked at next, by the clock of the database.
  due_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, run_id)
);
CREATE INDEX IF NOT EXISTS failed_run_due ON failed_run (due_at);

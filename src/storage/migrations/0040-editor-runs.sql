-- Runs that people start while they edit: of the whole draft, or of a step. The kinds that there were stay allowed, so nothing has to be looked through.
ALTER TABLE run DROP CONSTRAINT IF EXISTS run_kind_check;
ALTER TABLE run ADD CONSTRAINT run_kind_check
  CHECK (kind IN ('manual', 'api', 'schedule', 'webhook', 'poll', 'workflow', 'tool', 'editor', 'step')) NOT VALID;

-- Where the outputs of a node come from that was not executed in this run: 'pinned', or the id of the run that executed it. Null: it was executed here.
ALTER TABLE run_node ADD COLUMN IF NOT EXISTS taken_from text;

-- What such a run follows. Its row names version 0, which no workflow has: a process from before this migration that takes it finds nothing to execute.
CREATE TABLE IF NOT EXISTS editor_run (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  -- The published version that the draft was made on; 0 before there is one. What has the same belongs to the same draft.
  based_on integer NOT NULL,
  -- The part of the draft that it needs, as it was when the run was started.
  canvas text NOT NULL,
  -- Text of a JSON object: canvas id to what the outputs of the node depend on, as a hash.
  fingerprints text NOT NULL,
  -- Canvas ids of nodes that it executes and that change something outside.
  writes text[] NOT NULL,
  -- Other runs whose outputs it took over, and whose files it may read.
  taken_runs uuid[] NOT NULL,
  PRIMARY KEY (organization_id, run_id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflow ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS editor_run_by_draft ON editor_run (organization_id, workflow_id, based_on, run_id);

-- Outputs that runs of the editor take in the place of what a node would give. They lie with the workflow, not with one draft, until the node is gone.
CREATE TABLE IF NOT EXISTS workflow_pin (
  organization_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  node_id text NOT NULL,
  -- Text of a JSON object: way out of the node to items.
  outputs text NOT NULL,
  pinned_by_name text,
  pinned_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, workflow_id, node_id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflow ON DELETE CASCADE
);

-- Who listens to the ends of runs hears of what is published, and not of each step that somebody tries.
DROP TRIGGER IF EXISTS run_ended ON run;
CREATE TRIGGER run_ended AFTER UPDATE OF status ON run FOR EACH ROW
  WHEN (NEW.status IN ('succeeded', 'failed', 'cancelled') AND OLD.status <> NEW.status AND NEW.workflow_version > 0) EXECUTE FUNCTION publish_run_ended();

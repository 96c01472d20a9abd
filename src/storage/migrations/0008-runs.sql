-- Runs of workflows. pg-boss only says whose turn it is; what is true stands here. No foreign keys, as with tool_call.
CREATE TABLE run (
  organization_id uuid NOT NULL,
  -- Version 7: its time is when the run was accepted.
  id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  workflow_version integer NOT NULL,
  kind text NOT NULL CHECK (kind IN ('manual', 'api', 'schedule', 'webhook', 'workflow', 'tool')),
  status text NOT NULL CHECK (status IN ('pending', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
  -- $trigger: source, sender, prompt, payload.
  trigger_data text NOT NULL,
  -- What this run has otherwise than its version of the canvas.
  overrides text,
  trigger_id uuid,
  api_key_id uuid,
  api_key_name text,
  user_id uuid,
  user_name text,
  oauth_client_id text,
  oauth_client_name text,
  request_id text,
  trace_id text,
  rerun_of uuid,
  -- The run that waits for this one.
  parent_run_id uuid,
  depth integer NOT NULL DEFAULT 0,
  -- Whoever adopts the run raises the epoch; nobody writes under an older one.
  owner uuid,
  epoch integer NOT NULL DEFAULT 0,
  error_code text,
  error_message text,
  error_node_id text,
  queued_at timestamptz NOT NULL,
  started_at timestamptz,
  wake_at timestamptz,
  completed_at timestamptz,
  -- Time spent running, without waiting for a slot or for a moment.
  active_ms bigint NOT NULL DEFAULT 0,
  -- By the clock of the database, as in tool_call.
  changed_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE INDEX run_by_workflow ON run (organization_id, workflow_id, id);
CREATE INDEX run_by_change ON run (organization_id, changed_at, id);
-- Only of what is rare and looked for: an index that every run enters and leaves again would be most of its cost.
CREATE INDEX run_by_status ON run (organization_id, status, id) WHERE status IN ('failed', 'cancelled');
CREATE INDEX run_by_parent ON run (parent_run_id) WHERE parent_run_id IS NOT NULL;
ALTER TABLE run ADD PRIMARY KEY (organization_id, id);

-- What became of each node of a run. A finished one is never executed again.
CREATE TABLE run_node (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  node_id text NOT NULL,
  node_type text NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'retrying', 'waiting', 'succeeded', 'failed', 'skipped', 'cancelled')),
  attempts integer NOT NULL,
  -- How many executions are done, of a node that is executed once for every item and tries again.
  done integer NOT NULL,
  input text,
  -- Way out of the node → items.
  outputs text,
  -- What a model filled in.
  filled text,
  error_code text,
  error_message text,
  -- When a node that waits or tries again goes on; without one it waits for the runs it started.
  wake_at timestamptz,
  started_at timestamptz NOT NULL,
  completed_at timestamptz,
  duration_ms bigint NOT NULL,
  PRIMARY KEY (organization_id, run_id, node_id)
);

-- One wish, one run: an Idempotency-Key, a tick of a schedule, a delivery of a webhook.
CREATE TABLE run_once (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  -- Of what was asked; the same key with another wish is refused.
  wish_sha256 bytea NOT NULL,
  run_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, key)
);
CREATE INDEX run_once_by_age ON run_once (created_at);

-- Every call of a tool. Payloads are text of our own serialisation: jsonb cannot hold what tools return.
-- No foreign keys: a record outlives its key and its caller, and deleting an organization must not wait for a million rows
-- (src/history/retention.ts removes what belongs to nobody).
CREATE TABLE tool_call (
  organization_id uuid NOT NULL,
  -- Version 7, chosen by the caller: its time is when the call arrived, so lists and periods are cut by it.
  id uuid NOT NULL,
  source text NOT NULL CHECK (source IN ('mcp', 'platform')),
  server_id text NOT NULL,
  tool text NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'success', 'failed', 'timed_out', 'cancelled', 'refused', 'interrupted')),
  api_key_id uuid,
  api_key_name text,
  oauth_client_id text,
  oauth_client_name text,
  user_id uuid,
  user_name text,
  parameters text NOT NULL,
  credentials text NOT NULL,
  outputs text,
  error_code text,
  error_message text,
  queued_at timestamptz NOT NULL,
  started_at timestamptz,
  completed_at timestamptz,
  queue_ms bigint NOT NULL,
  duration_ms bigint,
  trace_id text,
  request_id text,
  replay_of uuid,
  truncated boolean NOT NULL,
  sanitized boolean NOT NULL,
  -- The recorder that opened the row; when that process is dead, others close the row.
  owner uuid NOT NULL,
  -- By the clock of the database, which all processes share: live streams catch up by it.
  changed_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((source = 'platform') = (server_id = 'platform'))
);
CREATE INDEX tool_call_by_server ON tool_call (organization_id, server_id, id);
CREATE INDEX tool_call_by_tool ON tool_call (organization_id, tool, id);
CREATE INDEX tool_call_by_api_key ON tool_call (organization_id, api_key_id, id) WHERE api_key_id IS NOT NULL;
CREATE INDEX tool_call_by_status ON tool_call (status, organization_id, id) WHERE status <> 'success';
CREATE INDEX tool_call_by_change ON tool_call (organization_id, changed_at, id);
-- Made last on purpose: while the table is small all indexes look equally good to the planner, and it then takes the newest one.
-- Any other would read all rows of an organization to find one.
ALTER TABLE tool_call ADD PRIMARY KEY (organization_id, id);

CREATE TABLE recorder (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT now()
);

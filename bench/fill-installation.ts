import pg from "pg";

export type Sizes = {
  runs: number;
  runsOfOneWorkflow: number;
  calls: number;
  workflows: number;
  members: number;
  credentials: number;
  apiKeys: number;
  schedules: number;
  invitations: number;
};

/** What the organization has already, made through the API: everything else is a copy of it or belongs to it. */
export type Seed = { organizationId: string; workflowId: string; credentialId: string; apiKeyId: string };

/** So many rows of everything in one organization, over the last thirty days, with SQL alone. */
export async function fillInstallation(target: pg.ClientConfig, seed: Seed, sizes: Sizes): Promise<void> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    // Only filling: what a crash would lose is filled again.
    await client.query("SET synchronous_commit = off; SET client_min_messages = warning");
    for (const [text, values] of statements(seed, sizes)) await client.query(text, values);
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
}

type Filling = [text: string, values: unknown[]];

const statements = (seed: Seed, sizes: Sizes): Filling[] => [
  ...people(seed, sizes),
  ...belongings(seed, sizes),
  ...fillWorkflows(seed, sizes),
  fillRuns(seed, sizes),
  fillNodes(seed),
  fillCalls(seed, sizes),
];

/** All have the password of the person who set the organization up. */
const people = ({ organizationId }: Seed, { members, invitations }: Sizes): Filling[] => [
  [
    `WITH person AS (
       INSERT INTO app_user (id, name, email, email_verified, created_at)
       SELECT gen_random_uuid(), 'Person ' || number, 'person-' || number || '@example.com', true, now() - number * interval '1 minute'
       FROM generate_series(1, $2::int) AS number RETURNING id, email, created_at
     ), their_account AS (
       INSERT INTO account (id, account_id, provider_id, user_id, password)
       SELECT gen_random_uuid(), person.id::text, first.provider_id, person.id, first.password FROM person,
         (SELECT account.* FROM account JOIN member USING (user_id) WHERE organization_id = $1 LIMIT 1) AS first
     )
     INSERT INTO member (id, organization_id, user_id, role, created_at) SELECT gen_random_uuid(), $1, id, 'member', created_at FROM person`,
    [organizationId, members],
  ],
  [
    `INSERT INTO invitation (id, organization_id, email, role, token_hash, expires_at)
     SELECT gen_random_uuid(), $1, 'guest-' || number || '@example.com', 'member', sha256(number::text::bytea), now() + interval '1 day'
     FROM generate_series(1, $2::int) AS number`,
    [organizationId, invitations],
  ],
];

/** Copies of an account cannot be opened, which no list does; the one that is called with is the first. */
const belongings = ({ organizationId, credentialId }: Seed, { credentials, apiKeys }: Sizes): Filling[] => [
  [
    `INSERT INTO credential (id, organization_id, type, kind, name, sealed, public_data, health, fingerprints, created_at)
     SELECT gen_random_uuid(), $1, type, kind, 'Account ' || lpad(number::text, 6, '0'), sealed, public_data,
       CASE WHEN number % 1000 = 7 THEN 'failing' ELSE 'ok' END, fingerprints, now() - number * interval '1 second'
     FROM credential, generate_series(1, $3::int) AS number WHERE organization_id = $1 AND id = $2`,
    [organizationId, credentialId, credentials],
  ],
  [
    `INSERT INTO api_key (id, organization_id, name, hash, hint, scopes, created_at)
     SELECT gen_random_uuid(), $1, 'Key ' || number, sha256(('key ' || number)::bytea), 'abcd', ARRAY['mcp:invoke'], now() - number * interval '1 second'
     FROM generate_series(1, $2::int) AS number`,
    [organizationId, apiKeys],
  ],
];

const fillWorkflows = ({ organizationId, workflowId }: Seed, { workflows, schedules }: Sizes): Filling[] => [
  [
    `WITH copy AS (
       INSERT INTO workflow (organization_id, id, name, description, node_count, node_kinds, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'Workflow ' || lpad(number::text, 6, '0'), 'Does things.', node_count, node_kinds, now(), now() - number * interval '1 second'
       FROM workflow, generate_series(1, $3::int) AS number WHERE organization_id = $1 AND id = $2 RETURNING id
     )
     INSERT INTO workflow_version (organization_id, workflow_id, version, canvas, canvas_sha256)
     SELECT $1, copy.id, 1, canvas, canvas_sha256 FROM copy, workflow_version WHERE organization_id = $1 AND workflow_id = $2 AND version = 1`,
    [organizationId, workflowId, workflows],
  ],
  [
    // Once a year, half a year from now: they are there, and not due.
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, cron, time_zone, next_fire_at, last_error)
     SELECT $1, uuidv7(-(number * interval '1 second')), $2, 'schedule', 'Schedule ' || number, true, '[]', '0 0 1 ' || month || ' *', 'UTC',
       date_trunc('month', now() AT TIME ZONE 'UTC' + interval '6 months') AT TIME ZONE 'UTC', CASE WHEN number % 500 = 7 THEN 'It did not work.' END
     FROM generate_series(1, $3::int) AS number, extract(month FROM now() AT TIME ZONE 'UTC' + interval '6 months') AS month`,
    [organizationId, workflowId, schedules],
  ],
];

const age = (count: string) => `(interval '30 days' / ${count}) * (${count} - number)`;

/** Every second run is of the first workflow until that has as many as it should have; the others are shared out among the rest. */
const fillRuns = ({ organizationId, workflowId, apiKeyId }: Seed, { runs, runsOfOneWorkflow }: Sizes): Filling => [
  `WITH other AS (SELECT array_agg(id) AS ids FROM workflow WHERE organization_id = $1 AND id <> $2)
   INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, api_key_id, api_key_name, error_code, error_message,
     queued_at, started_at, completed_at, active_ms, changed_at)
   SELECT $1, uuidv7(-(${age("$4::int")})), CASE WHEN number * $5::bigint / $4 > (number - 1) * $5::bigint / $4 THEN $2 ELSE ids[1 + number % cardinality(ids)] END,
     1, CASE WHEN number % 4 = 0 THEN 'schedule' ELSE 'api' END,
     CASE WHEN number % 20 = 7 THEN 'failed' WHEN number % 100 = 9 THEN 'cancelled' ELSE 'succeeded' END, '{"source":"api","sender":null,"prompt":"","payload":null}',
     $3, 'CI', CASE WHEN number % 20 = 7 THEN 'provider_error' END, CASE WHEN number % 20 = 7 THEN 'The service did not answer.' END,
     now() - ${age("$4::int")}, now() - ${age("$4::int")}, now() - ${age("$4::int")}, 12, now() - ${age("$4::int")}
   FROM other, generate_series(1, $4::int) AS number`,
  [organizationId, workflowId, apiKeyId, runs, runsOfOneWorkflow],
];

const fillNodes = ({ organizationId }: Seed): Filling => [
  `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, input, outputs, started_at, completed_at, duration_ms, total)
   SELECT organization_id, id, 'n0', 'system_date_time', 'succeeded', 1, 0, '[{}]', '{"out":[{"iso":"2026-11-01T00:00:00.000Z"}]}', queued_at, completed_at, 1, 1
   FROM run WHERE organization_id = $1 AND NOT EXISTS (SELECT FROM run_node WHERE run_node.organization_id = $1 AND run_id = run.id)`,
  [organizationId],
];

const fillCalls = ({ organizationId, apiKeyId }: Seed, { calls }: Sizes): Filling => [
  `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, api_key_id, api_key_name, parameters, credentials, outputs,
     error_code, error_message, queued_at, started_at, completed_at, queue_ms, duration_ms, truncated, sanitized, owner, changed_at)
   SELECT $1, uuidv7(-(${age("$3::int")})), 'mcp', 'server_' || number % 10, 'tool_' || number % 20,
     CASE WHEN number % 20 = 7 THEN 'failed' ELSE 'success' END, $2, 'CI',
     '{"channel":"C024BE91L","text":"The build is green again."}', '{}', '[{"ok":true,"ts":"1503435956.000247"}]',
     CASE WHEN number % 20 = 7 THEN 'provider_error' END, CASE WHEN number % 20 = 7 THEN 'It did not work.' END,
     now() - ${age("$3::int")}, now() - ${age("$3::int")}, now() - ${age("$3::int")}, 0, number % 300, false, false, $1, now() - ${age("$3::int")}
   FROM generate_series(1, $3::int) AS number`,
  [organizationId, apiKeyId, calls],
];

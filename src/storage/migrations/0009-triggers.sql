-- What starts a workflow without anyone asking: a schedule, or a call from outside.
CREATE TABLE trigger (
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('schedule', 'webhook')),
  name text NOT NULL,
  is_active boolean NOT NULL,
  -- Given to every run it starts.
  overrides text NOT NULL,
  prompt text NOT NULL DEFAULT '',
  cron text,
  time_zone text,
  -- Of a schedule that is on: the tick that is due next, by the clock of the database. Nothing fires twice, because a run is keyed by its tick.
  next_fire_at timestamptz(3),
  last_fired_at timestamptz,
  -- Why the last tick or delivery started nothing.
  last_error text,
  -- Of a webhook: which provider signs, with which credential; generic ones have a signing secret of their own, sealed.
  provider_id text,
  credential_id uuid,
  token_sha256 bytea,
  secret_sealed bytea,
  created_by uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflow ON DELETE CASCADE,
  CHECK ((kind = 'schedule') = (cron IS NOT NULL AND time_zone IS NOT NULL)),
  CHECK ((kind = 'schedule' AND is_active) = (next_fire_at IS NOT NULL)),
  CHECK ((kind = 'webhook') = (token_sha256 IS NOT NULL))
);
CREATE UNIQUE INDEX trigger_by_id ON trigger (id);
CREATE INDEX trigger_by_workflow ON trigger (organization_id, workflow_id);
CREATE INDEX trigger_due ON trigger (next_fire_at) WHERE next_fire_at IS NOT NULL;

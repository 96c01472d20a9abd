-- What arrived at a webhook, so that people see what was sent and why it was refused. Rows go with their trigger, when they are old, and when there are newer ones.
CREATE TABLE IF NOT EXISTS webhook_delivery (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  trigger_id uuid NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  method text NOT NULL,
  content_type text,
  -- Of the body as it was sent.
  bytes integer NOT NULL,
  -- What the sender was answered.
  status integer NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('started', 'ignored', 'refused')),
  reason text,
  run_id uuid,
  -- Whether somebody listened for it.
  is_listened boolean NOT NULL,
  -- How the body begins; null where it is not kept.
  preview text,
  -- The trigger data that a run sees, as text of JSON; null where it is not kept, or the run has it.
  data text,
  is_truncated boolean NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, trigger_id) REFERENCES trigger ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS webhook_delivery_by_trigger ON webhook_delivery (organization_id, trigger_id, id);
CREATE INDEX IF NOT EXISTS webhook_delivery_by_change ON webhook_delivery (organization_id, recorded_at, id);
-- For the removal of old ones. Rows come in the order of time, so this is a few bytes for many of them.
CREATE INDEX IF NOT EXISTS webhook_delivery_by_age ON webhook_delivery USING brin (recorded_at);

-- Webhooks whose next delivery somebody wants to see. The one that is shown takes the row away.
CREATE TABLE IF NOT EXISTS webhook_listening (
  organization_id uuid NOT NULL,
  trigger_id uuid NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (organization_id, trigger_id),
  FOREIGN KEY (organization_id, trigger_id) REFERENCES trigger ON DELETE CASCADE
);

-- The address of a webhook whose deliveries are signed, so that it can be shown again. Sealed, because strangers get no further than its token.
-- `id` is the trigger's.
CREATE TABLE IF NOT EXISTS webhook_address (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, id) REFERENCES trigger ON DELETE CASCADE
);

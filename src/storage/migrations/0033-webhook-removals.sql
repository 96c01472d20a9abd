-- Webhooks that are still to be removed at their provider, because it could not be asked when the trigger, its workflow or its organization was deleted.
-- No secret is here: the account stays until nothing needs it. A row outlives its trigger and its workflow, and an organization waits for its rows.
CREATE TABLE IF NOT EXISTS webhook_removal (
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  id uuid NOT NULL,
  trigger_id uuid NOT NULL,
  trigger_name text NOT NULL,
  workflow_name text NOT NULL,
  provider_id text NOT NULL,
  credential_id uuid NOT NULL,
  -- Where it delivers from, '' for the whole account.
  place text NOT NULL,
  -- The trigger is there for as long as its organization is, and says where by then: it may be told to the provider at this moment.
  follows_trigger boolean NOT NULL,
  reason text,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: given up.
  next_try_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX IF NOT EXISTS webhook_removal_due ON webhook_removal (next_try_at) WHERE next_try_at IS NOT NULL;

-- Those that were only in the log.
INSERT INTO webhook_removal (organization_id, id, trigger_id, trigger_name, workflow_name, provider_id, credential_id, place, follows_trigger, next_try_at)
SELECT trigger.organization_id, gen_random_uuid(), trigger.id, trigger.name, workflow.name, trigger.provider_id, trigger.credential_id,
  trigger.registered_place, true, now()
FROM trigger JOIN workflow ON workflow.organization_id = trigger.organization_id AND workflow.id = trigger.workflow_id
WHERE workflow.deleted_at IS NOT NULL AND trigger.registered_place IS NOT NULL AND trigger.provider_id IS NOT NULL AND trigger.credential_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM webhook_removal WHERE webhook_removal.organization_id = trigger.organization_id AND trigger_id = trigger.id);

-- Triggers that look at a service again and again, and the runs that they start. The kinds of runs that there were stay allowed, so nothing has to be
-- looked through: a month may hold millions.
ALTER TABLE run DROP CONSTRAINT IF EXISTS run_kind_check;
ALTER TABLE run ADD CONSTRAINT run_kind_check CHECK (kind IN ('manual', 'api', 'schedule', 'webhook', 'poll', 'workflow', 'tool')) NOT VALID;
ALTER TABLE trigger DROP CONSTRAINT IF EXISTS trigger_kind_check;
ALTER TABLE trigger ADD CONSTRAINT trigger_kind_check CHECK (kind IN ('schedule', 'webhook', 'poll'));

-- What a provider calls that which it looks for, and where, as JSON.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_id text;
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_parameters text;
-- The longest pause between two looks; null for what is usual at the provider.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_every_seconds integer;
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_takes_existing boolean NOT NULL DEFAULT false;
-- Where the next look goes on; null before the first.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_mark text;
-- Counts how often it began anew: a look of before must neither start a run nor move the mark.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_round integer NOT NULL DEFAULT 0;
-- The present pause; 0 before the first look is over.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS poll_wait_seconds integer NOT NULL DEFAULT 0;
-- When the service answered last, and when it is asked next, by the clock of the database.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS last_polled_at timestamptz(3);
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS next_poll_at timestamptz(3);
ALTER TABLE trigger DROP CONSTRAINT IF EXISTS trigger_poll_check;
ALTER TABLE trigger ADD CONSTRAINT trigger_poll_check CHECK (
  (kind = 'poll') = (poll_id IS NOT NULL AND poll_parameters IS NOT NULL)
  AND (kind = 'poll' AND is_active) = (next_poll_at IS NOT NULL)
);
CREATE INDEX IF NOT EXISTS trigger_poll_due ON trigger (next_poll_at) WHERE next_poll_at IS NOT NULL;

-- What a trigger has seen: stored together with the run that an item started, so that it starts one and no second.
CREATE TABLE IF NOT EXISTS polled_item (
  organization_id uuid NOT NULL,
  trigger_id uuid NOT NULL,
  item_id text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, trigger_id, item_id),
  FOREIGN KEY (organization_id, trigger_id) REFERENCES trigger ON DELETE CASCADE
);

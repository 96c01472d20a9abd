-- Items that a poll could not take though its service could be looked at: one that cannot be read, or that the filter fails on. They are in polled_item
-- too, so that the mark can go on behind them, and leave this table with their run.
CREATE TABLE IF NOT EXISTS faulty_item (
  organization_id uuid NOT NULL,
  trigger_id uuid NOT NULL,
  item_id text NOT NULL,
  -- As it was listed, as JSON; null where it is too large to be kept.
  item text,
  -- What went wrong at the last try.
  fault text NOT NULL,
  tries integer NOT NULL,
  tried_at timestamptz NOT NULL DEFAULT now(),
  -- Null once it is given up.
  next_try_at timestamptz,
  PRIMARY KEY (organization_id, trigger_id, item_id),
  FOREIGN KEY (organization_id, trigger_id) REFERENCES trigger ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS faulty_item_due ON faulty_item (organization_id, trigger_id, next_try_at);

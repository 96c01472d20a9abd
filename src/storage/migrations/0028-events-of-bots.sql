-- Of a webhook of a provider: whether events of bots, also of the own account, start runs. Those of before get none of them either: they could
-- start themselves for ever.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS takes_bots boolean NOT NULL DEFAULT false;
-- Why it was turned off by itself; null once somebody turned it on or off.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS stopped_reason text;
-- How often what its workflow does started it again, since when, and, of receipts, for whom.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS own_events integer NOT NULL DEFAULT 0;
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS own_events_since timestamptz;
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS own_events_to text;
-- Which sender the account is at the provider, where events do not tell, and when that was asked.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS own_sender text;
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS own_sender_asked_at timestamptz;

-- What an organization may use of a hosted installation. Self-hosted ones ignore all of this.
CREATE TABLE plan (
  id text PRIMARY KEY,
  name text NOT NULL,
  max_concurrent_executions integer NOT NULL CHECK (max_concurrent_executions > 0)
);
INSERT INTO plan (id, name, max_concurrent_executions) VALUES ('free', 'Free', 2), ('pro', 'Pro', 10), ('business', 'Business', 50);

ALTER TABLE organization ADD COLUMN plan_id text NOT NULL DEFAULT 'free' REFERENCES plan;

-- The balance is the sum: entries are added, never changed.
CREATE TABLE credit_entry (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  amount bigint NOT NULL,
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX credit_entry_by_organization ON credit_entry (organization_id);

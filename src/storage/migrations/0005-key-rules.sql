-- What a key may call: patterns for servers and tools; null is everything.
ALTER TABLE api_key ADD COLUMN tool_rules text[] CHECK (cardinality(tool_rules) > 0);

-- The credential that is meant when a caller names none. The keys below let the database itself refuse another organization's or type's.
ALTER TABLE api_key ADD UNIQUE (organization_id, id);
ALTER TABLE credential ADD UNIQUE (organization_id, type, id);

CREATE TABLE default_credential (
  organization_id uuid NOT NULL,
  -- Null is the organization's own default; a key's goes before it.
  api_key_id uuid,
  credential_type text NOT NULL,
  credential_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE NULLS NOT DISTINCT (organization_id, api_key_id, credential_type),
  FOREIGN KEY (organization_id, api_key_id) REFERENCES api_key (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, credential_type, credential_id) REFERENCES credential (organization_id, type, id) ON DELETE CASCADE
);
CREATE INDEX default_credential_by_credential ON default_credential (organization_id, credential_type, credential_id);

-- Connected accounts. `sealed` holds all fields; `public_data` repeats those that are no secret, to be shown without opening anything.
CREATE TABLE credential (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  type text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  sealed bytea NOT NULL,
  public_data text NOT NULL,
  created_by uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Raised with every new content, so that nobody overwrites what they have not seen.
  version integer NOT NULL DEFAULT 1,
  token_expires_at timestamptz,
  can_refresh boolean NOT NULL DEFAULT false,
  -- Which process is getting a fresh token, and until when the others wait for it.
  refreshing_by uuid,
  refreshing_until timestamptz,
  health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('unknown', 'ok', 'failing', 'needs_reconnect')),
  last_ok_at timestamptz,
  last_error text,
  last_error_at timestamptz
);
CREATE INDEX credential_by_organization ON credential (organization_id, created_at);

-- A person on the way to a provider's consent page and back.
CREATE TABLE oauth_state (
  state_hash bytea PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  credential_id uuid NOT NULL REFERENCES credential ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  session_id uuid NOT NULL REFERENCES session ON DELETE CASCADE,
  code_verifier_sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_state_by_expiry ON oauth_state (expires_at);

-- A known text sealed with each master key in use: a wrong key is noticed at the start, also while there are no credentials.
CREATE TABLE master_key_check (
  key_id text PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

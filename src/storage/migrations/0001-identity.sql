-- People sign in: these four tables have the shape better-auth expects (src/identity/accounts.ts maps the names).
CREATE TABLE app_user (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL UNIQUE,
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE session (
  id uuid PRIMARY KEY,
  token text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  ip_address text,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX session_by_user ON session (user_id);

CREATE TABLE account (
  id uuid PRIMARY KEY,
  account_id text NOT NULL,
  provider_id text NOT NULL,
  user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider_id, account_id)
);
CREATE INDEX account_by_user ON account (user_id);

CREATE TABLE verification (
  id uuid PRIMARY KEY,
  identifier text NOT NULL UNIQUE,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Organizations own everything else.
CREATE TABLE organization (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE member (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, user_id)
);
CREATE INDEX member_by_user ON member (user_id);

CREATE TABLE invitation (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  token_hash bytea NOT NULL,
  invited_by uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  UNIQUE (organization_id, email)
);

-- owner_type exists so that a key of any other owner can be told apart and refused.
CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  organization_id uuid REFERENCES organization ON DELETE CASCADE,
  owner_type text NOT NULL DEFAULT 'organization',
  name text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  hint text NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['workflows:trigger', 'mcp:invoke']),
  created_by uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  regenerated_at timestamptz,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  CHECK (owner_type <> 'organization' OR organization_id IS NOT NULL)
);
CREATE INDEX api_key_by_organization ON api_key (organization_id);

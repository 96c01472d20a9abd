-- MCP clients that connect without a key. A token, code or ticket is stored as its SHA-256 only, a client's secret too.
CREATE TABLE oauth_client (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('registered', 'metadata_document')),
  metadata text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);

-- A user let a client act on one organization through one server. The keys end it together with the membership or the client,
-- and its tokens with it, so that what is found is still allowed.
CREATE TABLE oauth_connection (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  client_id text NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
  client_name text NOT NULL,
  client_host text,
  resource text NOT NULL,
  server_id text NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  FOREIGN KEY (organization_id, user_id) REFERENCES member (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX oauth_connection_by_member ON oauth_connection (organization_id, user_id);
CREATE INDEX oauth_connection_by_client ON oauth_connection (client_id);

-- What the authorization server keeps: access and refresh tokens, codes, requests that wait for a user. The payload leaves out the id.
CREATE TABLE oauth_token (
  model text NOT NULL,
  id_sha256 bytea NOT NULL,
  connection_id uuid REFERENCES oauth_connection ON DELETE CASCADE,
  scopes text[] NOT NULL,
  payload text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (model, id_sha256)
);
CREATE INDEX oauth_token_by_connection ON oauth_token (connection_id);
CREATE INDEX oauth_token_by_expiry ON oauth_token (expires_at);

-- What a user decided, until the browser that asked takes it. Once only.
CREATE TABLE consent_ticket (
  ticket_sha256 bytea PRIMARY KEY,
  interaction_sha256 bytea NOT NULL,
  user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  decision text NOT NULL,
  expires_at timestamptz NOT NULL
);

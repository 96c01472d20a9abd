-- Which account an application uses for calls that name none, as the person chose when they approved it; null: the organization's
-- default. It does not point to the account's row on purpose: when that is deleted, calls are refused, and never made as another one.
ALTER TABLE oauth_connection
  ADD COLUMN credential_type text,
  ADD COLUMN credential_id uuid,
  ADD CHECK ((credential_type IS NULL) = (credential_id IS NULL));

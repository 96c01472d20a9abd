-- By what the secrets of a credential are recognised where somebody typed them; nothing can be read from it. Filled in after the start.
ALTER TABLE credential ADD COLUMN IF NOT EXISTS fingerprints bytea;
CREATE INDEX IF NOT EXISTS credential_without_fingerprints ON credential (id) WHERE fingerprints IS NULL;

-- An organization is gone as soon as this is set; its rows are removed afterwards, in small steps (src/identity/remove-organizations.ts).
ALTER TABLE organization ADD COLUMN deleted_at timestamptz;
CREATE INDEX organization_deleted ON organization (deleted_at) WHERE deleted_at IS NOT NULL;

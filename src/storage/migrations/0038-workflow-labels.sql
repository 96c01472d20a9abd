-- Where people look for a workflow: a folder, whose parts are separated by slashes and which is there as long as a workflow is in it, and tags. Both sorted
-- and trimmed by the server. Processes from before this migration leave them as they are.
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS folder text NOT NULL DEFAULT '';
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS tags text[] NOT NULL DEFAULT '{}';
CREATE INDEX IF NOT EXISTS workflow_by_folder ON workflow (organization_id, folder COLLATE "C") WHERE deleted_at IS NULL AND folder <> '';
CREATE INDEX IF NOT EXISTS workflow_by_tag ON workflow USING gin (tags) WHERE deleted_at IS NULL;

-- A workflow has a published version, which runs, and may have a draft, which nobody runs. `workflow.version` stays what it was: the version that runs are
-- started on, so that processes from before this migration go on beside new ones. They know no drafts: what was never published is off, and has no version.
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS is_published boolean NOT NULL DEFAULT true
  CONSTRAINT workflow_off_until_published CHECK (is_published OR NOT is_active);
-- Counts what was done to the draft, also that it went, so that no revision ever means two drafts.
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS draft_revision integer NOT NULL DEFAULT 0;

-- Who made a version: a user (created_by) or an API key, and the name at that time. Neither: the command line.
ALTER TABLE workflow_version ADD COLUMN IF NOT EXISTS created_by_key uuid;
ALTER TABLE workflow_version ADD COLUMN IF NOT EXISTS created_by_name text;
UPDATE workflow_version SET created_by_name = app_user.name FROM app_user
WHERE app_user.id = workflow_version.created_by AND workflow_version.created_by_name IS NULL;

-- At most one for each workflow. The canvas is text as it was sent, and may have any faults.
CREATE TABLE IF NOT EXISTS workflow_draft (
  organization_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  revision integer NOT NULL,
  -- The published version that it was made on; 0 before there is one.
  based_on integer NOT NULL,
  canvas text NOT NULL,
  canvas_sha256 bytea NOT NULL,
  -- What hinders publishing, as of the moment it was saved: text of a JSON list of pointer and detail, cut to the first ones; and how many there are in all.
  faults text NOT NULL,
  fault_count integer NOT NULL,
  saved_by uuid REFERENCES app_user ON DELETE SET NULL,
  saved_by_key uuid,
  saved_by_name text,
  saved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, workflow_id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflow ON DELETE CASCADE
);

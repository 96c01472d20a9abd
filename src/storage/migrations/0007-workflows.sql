-- A workflow points at its newest version. Canvases are text as it was sent: jsonb would reorder keys, and a saved canvas must come back as it was.
CREATE TABLE workflow (
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  is_active boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  node_count integer NOT NULL,
  -- Set when the workflow is offered as a tool of the organization's own MCP server.
  tool_name text,
  -- What a caller of that tool passes: text of a JSON list of name, type, description, required.
  tool_inputs text,
  created_by uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Kept until retention removes its runs: a history that no longer knows what ran would be no history.
  deleted_at timestamptz,
  PRIMARY KEY (organization_id, id),
  CHECK ((tool_name IS NULL) = (tool_inputs IS NULL))
);
CREATE INDEX workflow_by_change ON workflow (organization_id, updated_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX workflow_by_tool ON workflow (organization_id, tool_name) WHERE deleted_at IS NULL AND tool_name IS NOT NULL;

-- Never changed: a run names the version it follows.
CREATE TABLE workflow_version (
  organization_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  version integer NOT NULL,
  canvas text NOT NULL,
  canvas_sha256 bytea NOT NULL,
  note text NOT NULL DEFAULT '',
  created_by uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, workflow_id, version),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflow ON DELETE CASCADE
);

-- The list of members is read page by page in this order; sorting all of a large organization for each page would take longer the more there are.
CREATE INDEX IF NOT EXISTS member_by_organization ON member (organization_id, created_at, id);

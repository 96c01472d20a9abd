-- Files that a delivery brought, as a JSON list with their bytes in base64. They lie with their run, so that they are read, kept, backed up and removed like it;
-- only who asks for one reads the column.
ALTER TABLE run ADD COLUMN IF NOT EXISTS trigger_files text;

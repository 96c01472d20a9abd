-- Calls, runs and what their nodes did lie in one table for each month, by the time in their ids, so that old ones are removed by dropping a table.
-- No month is ever missing: what is older than all of them lies in "…_past", what is newer in "…_future" (src/history/partitions.ts moves both ends).
-- What there is already becomes the past as it stands, without being copied; nothing else of the tables changes, whatever they had before.
CREATE FUNCTION lowest_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT rpad(lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

DO $$
DECLARE
  divided record;
  made record;
  statements text[];
  statement text;
  settings text;
  -- Of UTC, without saying so.
  this_month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  first_month timestamp := this_month;
  month timestamp;
BEGIN
  -- Nothing of this month has to move when the first table begins after it.
  IF EXISTS (SELECT FROM tool_call) OR EXISTS (SELECT FROM run) OR EXISTS (SELECT FROM run_node) THEN
    first_month := this_month + interval '1 month';
  END IF;

  FOR divided IN
    SELECT table_name, table_name || '_past' AS past, table_name || '_future' AS future, key
    FROM (VALUES ('tool_call', 'id'), ('run', 'id'), ('run_node', 'run_id')) AS divided (table_name, key)
  LOOP
    statements := '{}';
    FOR made IN
      SELECT pg_class.relname AS name, constraint_of.conname, pg_get_constraintdef(constraint_of.oid) AS key, pg_get_indexdef(indexrelid) AS text
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid LEFT JOIN pg_constraint AS constraint_of ON constraint_of.conindid = indexrelid
      -- In the order in which they were made, because that decides between equals (see 0004-history.sql).
      WHERE indrelid = divided.table_name::regclass ORDER BY indexrelid
    LOOP
      statements := statements || CASE WHEN made.conname IS NULL THEN made.text
        ELSE format('ALTER TABLE %I ADD CONSTRAINT %I %s', divided.table_name, made.conname, made.key) END;
      EXECUTE format('ALTER INDEX %I RENAME TO %I', made.name, replace(made.name, divided.table_name, divided.past));
    END LOOP;
    FOR made IN
      SELECT tgname AS name, pg_get_triggerdef(oid) AS text FROM pg_trigger WHERE tgrelid = divided.table_name::regclass AND NOT tgisinternal
    LOOP
      statements := statements || made.text;
      EXECUTE format('DROP TRIGGER %I ON %I', made.name, divided.table_name);
    END LOOP;

    EXECUTE format('ALTER TABLE %I RENAME TO %I', divided.table_name, divided.past);
    EXECUTE format(
      'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (%I)', divided.table_name, divided.past, divided.key
    );
    FOREACH statement IN ARRAY statements LOOP
      EXECUTE statement;
    END LOOP;
    SELECT coalesce('WITH (' || array_to_string(reloptions, ', ') || ')', '') INTO settings FROM pg_class WHERE oid = divided.past::regclass;
    month := first_month;
    WHILE month < this_month + interval '2 months' LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L) %s', divided.table_name || to_char(month, '_YYYY_MM'), divided.table_name,
        lowest_id_at(month AT TIME ZONE 'UTC'), lowest_id_at((month + interval '1 month') AT TIME ZONE 'UTC'), settings
      );
      month := month + interval '1 month';
    END LOOP;
    EXECUTE format(
      'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (MAXVALUE) %s',
      divided.future, divided.table_name, lowest_id_at(month AT TIME ZONE 'UTC'), settings
    );
    -- Of clocks that were ahead.
    EXECUTE format(
      'WITH moved AS (DELETE FROM %I WHERE %I >= %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
      divided.past, divided.key, lowest_id_at(first_month AT TIME ZONE 'UTC'), divided.table_name
    );
    EXECUTE format(
      'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)',
      divided.table_name, divided.past, lowest_id_at(first_month AT TIME ZONE 'UTC')
    );
  END LOOP;
END $$;

DROP FUNCTION lowest_id_at;

-- Tells every process whose session or membership has ended or changed, so that live streams end with it (src/history/live.ts listens).
CREATE FUNCTION tell_access_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('switchyard_live', 'access ' || OLD.user_id);
  RETURN NULL;
END $$;
CREATE TRIGGER access_changed AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF role ON member FOR EACH ROW EXECUTE FUNCTION tell_access_changed();

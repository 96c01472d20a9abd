-- Whether a session or a link has ended is judged by the clock of the database, whatever that of a process says: better-auth reads and
-- writes through these views, and no process with a clock that is ahead makes anything that lasts longer than it should.
CREATE VIEW live_session AS SELECT * FROM session WHERE expires_at > now();
CREATE VIEW live_verification AS SELECT * FROM verification WHERE expires_at > now();

CREATE FUNCTION limit_lifetime() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.expires_at := least(NEW.expires_at, now() + TG_ARGV[0]::interval);
  RETURN NEW;
END $$;
CREATE TRIGGER limit_lifetime BEFORE INSERT OR UPDATE OF expires_at ON session
  FOR EACH ROW EXECUTE FUNCTION limit_lifetime('7 days');
CREATE TRIGGER limit_lifetime BEFORE INSERT OR UPDATE OF expires_at ON verification
  FOR EACH ROW EXECUTE FUNCTION limit_lifetime('1 hour');

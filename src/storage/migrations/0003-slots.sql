-- Which processes hold permits of which organization; src/execution/slots.ts is the other half. A worker is one connection of one process.
-- Written in the log, unlike the rest: after a crash of the database it tells who may still be at work.
CREATE TABLE slot_worker (
  id uuid PRIMARY KEY,
  beat_at timestamptz NOT NULL,
  lease_ms integer NOT NULL,
  epoch uuid NOT NULL
);

-- A crash of the database empties the unlogged tables and so begins a new epoch.
CREATE UNLOGGED TABLE slot_epoch (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  id uuid NOT NULL
);

-- The row is also the lock of its organization.
CREATE UNLOGGED TABLE slot_state (
  organization_id uuid PRIMARY KEY,
  cap integer NOT NULL CHECK (cap >= 0),
  version bigint NOT NULL
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE slot_share (
  organization_id uuid NOT NULL,
  worker_id uuid NOT NULL,
  held integer NOT NULL CHECK (held >= 0),
  -- Since when its waiters wait, the oldest first.
  tickets timestamptz[] NOT NULL,
  -- Others wait, or more permits are out than the cap allows: give back instead of using again.
  contended boolean NOT NULL DEFAULT false,
  told boolean NOT NULL DEFAULT true,
  PRIMARY KEY (organization_id, worker_id)
) WITH (fillfactor = 50);
CREATE INDEX slot_share_by_worker ON slot_share (worker_id);

-- Takes the place of the same process on an earlier connection, with all its permits; false when that one is gone or never was.
CREATE FUNCTION slot_join(me uuid, earlier uuid[], my_lease_ms integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  place uuid;
BEGIN
  INSERT INTO slot_epoch (id) VALUES (gen_random_uuid()) ON CONFLICT DO NOTHING;
  SELECT id INTO place FROM slot_worker WHERE id = ANY (earlier) FOR UPDATE;
  IF FOUND THEN
    UPDATE slot_worker SET id = me, beat_at = clock_timestamp(), lease_ms = my_lease_ms WHERE id = place;
    UPDATE slot_share SET worker_id = me WHERE worker_id = place;
    RETURN true;
  END IF;
  INSERT INTO slot_worker (id, beat_at, lease_ms, epoch) SELECT me, clock_timestamp(), my_lease_ms, slot_epoch.id FROM slot_epoch;
  -- Left by a statement that was still under way when its connection was replaced.
  DELETE FROM slot_share WHERE NOT EXISTS (SELECT FROM slot_worker WHERE slot_worker.id = slot_share.worker_id);
  RETURN false;
END $$;

-- A worker is dead from the moment its row is gone. It is told, should it only have been asleep.
CREATE FUNCTION slot_bury(me uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  dead uuid;
BEGIN
  -- The clock was set back: count from now.
  UPDATE slot_worker SET beat_at = clock_timestamp() WHERE beat_at > clock_timestamp() + interval '1 s';
  FOR dead IN
    DELETE FROM slot_worker WHERE id IN (
      SELECT id FROM slot_worker
      WHERE id <> me AND beat_at < clock_timestamp() - lease_ms * interval '1 ms'
      ORDER BY id FOR UPDATE SKIP LOCKED
    ) RETURNING id
  LOOP
    DELETE FROM slot_share WHERE worker_id = dead;
    PERFORM pg_notify('slot_' || dead, '');
  END LOOP;
END $$;

-- Free permits go to the oldest tickets of any worker; everybody else whose situation changed is told its whole state.
CREATE FUNCTION slot_settle(me uuid, organization uuid) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  state slot_state;
  mine jsonb;
  share record;
  free integer;
BEGIN
  SELECT * INTO state FROM slot_state WHERE organization_id = organization;
  SELECT state.cap - coalesce(sum(held), 0) INTO free FROM slot_share
    WHERE organization_id = organization AND EXISTS (SELECT FROM slot_worker WHERE id = worker_id);
  -- While somebody has not yet said what it holds since the crash, nothing new is given.
  IF free > 0 AND NOT EXISTS (SELECT FROM slot_worker WHERE epoch NOT IN (SELECT id FROM slot_epoch)) THEN
    WITH oldest AS (
      SELECT worker_id FROM slot_share, unnest(tickets) AS ticket
      WHERE organization_id = organization AND EXISTS (SELECT FROM slot_worker WHERE id = worker_id)
      ORDER BY ticket, worker_id LIMIT free
    ), granted AS (SELECT worker_id, count(*)::integer AS permits FROM oldest GROUP BY worker_id)
    UPDATE slot_share SET held = held + permits, tickets = tickets[permits + 1 :], told = false
      FROM granted WHERE organization_id = organization AND slot_share.worker_id = granted.worker_id;
  END IF;
  FOR share IN
    WITH seen AS (
      SELECT worker_id AS id,
        sum(cardinality(tickets)) OVER () > cardinality(tickets) OR sum(held) OVER () > state.cap AS is_contended
      FROM slot_share WHERE organization_id = organization AND EXISTS (SELECT FROM slot_worker WHERE id = worker_id)
    )
    UPDATE slot_share SET contended = is_contended, told = true FROM seen
      WHERE organization_id = organization AND worker_id = seen.id AND (NOT told OR contended <> is_contended OR worker_id = me)
      RETURNING worker_id, jsonb_build_object(
        'organizationId', organization, 'version', state.version, 'held', held, 'cap', state.cap, 'isContended', contended) AS message
  LOOP
    IF share.worker_id = me THEN mine := share.message;
    ELSE PERFORM pg_notify('slot_' || share.worker_id, share.message::text);
    END IF;
  END LOOP;
  RETURN coalesce(mine, jsonb_build_object(
    'organizationId', organization, 'version', state.version, 'held', 0, 'cap', state.cap, 'isContended', false));
END $$;

-- One worker says what it holds and who waits in some organizations, and learns what it holds now.
-- Complete means that with this everything it holds has been said since it joined.
CREATE FUNCTION slot_sync(me uuid, is_complete boolean, reports jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
  report record;
BEGIN
  PERFORM slot_bury(me);
  IF NOT EXISTS (SELECT FROM slot_worker WHERE id = me) THEN
    RAISE EXCEPTION 'The slot worker is gone.' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  -- In the order of the ids, so that two workers never wait for each other.
  FOR report IN
    SELECT * FROM jsonb_to_recordset(reports) AS one ("organizationId" uuid, held integer, "waitingMs" integer[], cap integer) ORDER BY 1
  LOOP
    UPDATE slot_state SET version = version + 1, cap = coalesce(report.cap, cap) WHERE organization_id = report."organizationId";
    IF NOT FOUND THEN
      INSERT INTO slot_state AS state VALUES (report."organizationId", report.cap, 1)
        ON CONFLICT (organization_id) DO UPDATE SET version = state.version + 1, cap = excluded.cap;
    END IF;
    IF report.cap IS NOT NULL THEN
      UPDATE slot_share SET told = false WHERE organization_id = report."organizationId";
    END IF;
    IF report.held = 0 AND cardinality(report."waitingMs") = 0 THEN
      DELETE FROM slot_share WHERE organization_id = report."organizationId" AND worker_id = me;
    ELSE
      INSERT INTO slot_share AS share (organization_id, worker_id, held, tickets) VALUES (
        report."organizationId", me, report.held,
        ARRAY(SELECT clock_timestamp() - age * interval '1 ms' FROM unnest(report."waitingMs") AS age ORDER BY age DESC)
      ) ON CONFLICT (organization_id, worker_id) DO UPDATE SET held = excluded.held, tickets = excluded.tickets;
    END IF;
  END LOOP;
  IF is_complete THEN
    UPDATE slot_worker SET epoch = slot_epoch.id FROM slot_epoch WHERE slot_worker.id = me AND epoch <> slot_epoch.id;
  END IF;
  FOR report IN SELECT * FROM jsonb_to_recordset(reports) AS one ("organizationId" uuid) ORDER BY 1 LOOP
    RETURN NEXT slot_settle(me, report."organizationId");
  END LOOP;
END $$;

-- Where an organization wants to be told what happened. None by default.
CREATE TABLE event_endpoint (
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  id uuid NOT NULL,
  url text NOT NULL,
  description text NOT NULL DEFAULT '',
  types text[] NOT NULL,
  -- The signing secret and, for a while after a rotation, the one before.
  secret_sealed bytea NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  disabled_reason text,
  created_by uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE event_delivery (
  organization_id uuid NOT NULL,
  -- Ordered by time: the list is cut by it, and what is too old is found by it.
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  payload text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  -- Counted when one begins, so that an attempt that killed its process counts too.
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  -- Whose attempt it is and until when others leave it alone, by the clock of the database.
  claim uuid,
  claimed_until timestamptz,
  last_status integer,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, endpoint_id) REFERENCES event_endpoint ON DELETE CASCADE,
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
  CHECK ((claim IS NULL) = (claimed_until IS NULL))
);
CREATE INDEX event_delivery_due ON event_delivery (organization_id, endpoint_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX event_delivery_claimed ON event_delivery (organization_id, endpoint_id) WHERE claim IS NOT NULL;
CREATE INDEX event_delivery_by_endpoint ON event_delivery (organization_id, endpoint_id, id);
CREATE INDEX event_delivery_by_status ON event_delivery (organization_id, endpoint_id, status, id) WHERE status <> 'delivered';
CREATE UNIQUE INDEX event_delivery_once ON event_delivery (organization_id, endpoint_id, event_id);

-- A UUID of version 7; the database has a function of its own for it only from PostgreSQL 18 on.
CREATE FUNCTION new_event_id() RETURNS uuid LANGUAGE sql AS $$
  SELECT encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6
  ), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Called in the statement that makes an event true, so that an event is never lost and never told of what did not happen.
-- The same event twice is told once. Nearly free, about 5 µs, while the organization has no endpoint.
CREATE FUNCTION publish_event(p_organization_id uuid, p_event_id uuid, p_type text, p_payload text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM event_endpoint WHERE organization_id = p_organization_id) THEN
    RETURN;
  END IF;
  -- The lock makes an endpoint that is being deleted disappear from here instead of failing what happened.
  INSERT INTO event_delivery (organization_id, id, endpoint_id, event_id, type, payload, status, next_attempt_at)
  SELECT organization_id, new_event_id(), id, p_event_id, p_type, p_payload, 'pending', now()
  FROM event_endpoint
  WHERE organization_id = p_organization_id AND is_active AND p_type = ANY (types)
  FOR KEY SHARE
  ON CONFLICT (organization_id, endpoint_id, event_id) DO NOTHING;
END $$;

-- Whoever records the end of a call, and in however large a batch, tells of a failure in the same transaction.
CREATE FUNCTION publish_tool_failed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_event(NEW.organization_id, NEW.id, 'tool.failed', json_build_object(
    'recordId', NEW.id,
    'tool', NEW.tool,
    'serverId', NEW.server_id,
    'status', NEW.status,
    'error', CASE WHEN NEW.error_code IS NOT NULL THEN json_build_object('code', NEW.error_code, 'message', NEW.error_message) END,
    'apiKey', CASE WHEN NEW.api_key_id IS NOT NULL THEN json_build_object('id', NEW.api_key_id, 'name', NEW.api_key_name) END,
    'at', to_char(NEW.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )::text);
  RETURN NULL;
END $$;
CREATE TRIGGER tool_call_failed AFTER UPDATE OF status ON tool_call FOR EACH ROW
  WHEN (NEW.status IN ('failed', 'timed_out') AND OLD.status <> NEW.status) EXECUTE FUNCTION publish_tool_failed();

CREATE FUNCTION publish_needs_reconnect() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_event(NEW.organization_id, new_event_id(), 'credential.needs_reconnect', json_build_object(
    'credentialId', NEW.id,
    'name', NEW.name,
    'type', NEW.type,
    'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )::text);
  RETURN NULL;
END $$;
CREATE TRIGGER credential_needs_reconnect AFTER UPDATE OF health ON credential FOR EACH ROW
  WHEN (NEW.health = 'needs_reconnect' AND OLD.health <> NEW.health) EXECUTE FUNCTION publish_needs_reconnect();

-- Of what every run ends with, whoever ends it. The organization is asked for endpoints before anything is put together.
CREATE FUNCTION publish_run_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM event_endpoint WHERE organization_id = NEW.organization_id) THEN
    PERFORM publish_event(NEW.organization_id, NEW.id, 'run.' || NEW.status, json_build_object(
      'runId', NEW.id,
      'workflowId', NEW.workflow_id,
      'workflowName', (SELECT name FROM workflow WHERE organization_id = NEW.organization_id AND id = NEW.workflow_id),
      'status', NEW.status,
      'error', CASE WHEN NEW.status = 'failed' THEN json_build_object('code', NEW.error_code, 'message', NEW.error_message) END
    )::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER run_ended AFTER UPDATE OF status ON run FOR EACH ROW
  WHEN (NEW.status IN ('succeeded', 'failed', 'cancelled') AND OLD.status <> NEW.status) EXECUTE FUNCTION publish_run_ended();

import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { Seal } from "../vault/seal.ts";
import { type EndpointSecrets, newEventSecret, rotateSecrets } from "./sign-event.ts";
import {
  type DeliveryPlace,
  type DeliveryRow,
  deleteEndpoint,
  type EndpointPlace,
  type EndpointRow,
  eventTables,
  findEndpoint,
  insertDelivery,
  insertEndpoint,
  listDeliveries,
  listEndpoints,
  replaceSecret,
  restartDelivery,
  updateEndpoint,
} from "./store.ts";
import {
  type EventDelivery,
  type EventDeliveryList,
  type EventDeliveryQuery,
  type EventEndpoint,
  type EventEndpointChange,
  type EventEndpointRequest,
  type EventEndpointWithSecret,
  eventDelivery,
  eventEndpoint,
  testType,
} from "./wire.ts";

export type EventEndpoints = ReturnType<typeof createEventEndpoints>;

export type OpenSecrets = ReturnType<typeof createOpenSecrets>;

type ResolveHost = (host: string) => Promise<string>;

type Options = {
  db: Database;
  clock: Clock;
  seal: Pick<Seal, "seal" | "open">;
  /** By protocol, as in sending: refuses what may not be reached. */
  resolveFor: { https: ResolveHost; http: ResolveHost };
};

const mostPerOrganization = 20;

/** Where an organization wants to be told what happened, and what became of it. */
export function createEventEndpoints({ db, clock, seal, resolveFor }: Options) {
  const tables = eventTables(db);
  const openSecrets = createOpenSecrets(seal);
  const sealSecrets = ({ organizationId, endpointId }: EndpointPlace, secrets: EndpointSecrets): Buffer =>
    seal.seal(JSON.stringify(secrets), { organizationId, credentialId: endpointId });

  return {
    ...createDeliveries(tables),

    async list(organizationId: string): Promise<EventEndpoint[]> {
      return (await listEndpoints(tables, organizationId)).map(toEndpoint);
    },

    async create(
      organizationId: string,
      { url, types, description = "" }: EventEndpointRequest,
      createdBy: string,
    ): Promise<EventEndpointWithSecret> {
      await requireReachable(resolveFor, url);
      const id = newId();
      const secret = newEventSecret();
      const secret_sealed = sealSecrets({ organizationId, endpointId: id }, { current: secret });
      const about = {
        organization_id: organizationId,
        id,
        url,
        types: [...new Set(types)],
        description,
        created_by: createdBy,
      };
      const row = await insertEndpoint(tables, { ...about, secret_sealed }, mostPerOrganization);
      if (!row) throw new Refusal("conflict", `An organization can have ${mostPerOrganization} endpoints.`);
      return { ...toEndpoint(row), secret };
    },

    async update(place: EndpointPlace, { isActive, types, ...change }: EventEndpointChange): Promise<EventEndpoint> {
      if (change.url !== undefined) await requireReachable(resolveFor, change.url);
      const row = await updateEndpoint(tables, place, {
        ...change,
        types: types && [...new Set(types)],
        ...(isActive === undefined ? {} : { is_active: isActive, disabled_reason: null }),
      });
      return toEndpoint(row ?? refuseUnknown());
    },

    async remove(place: EndpointPlace): Promise<void> {
      if (!(await deleteEndpoint(tables, place))) refuseUnknown();
    },

    async rotateSecret(place: EndpointPlace): Promise<EventEndpointWithSecret> {
      const secret = newEventSecret();
      const row = await replaceSecret(tables, place, ({ secret_sealed }) =>
        sealSecrets(place, rotateSecrets(openSecrets({ ...place, secretSealed: secret_sealed }), secret, clock.now())),
      );
      return { ...toEndpoint(row ?? refuseUnknown()), secret };
    },
  };
}

/** What is sent to an endpoint. */
const createDeliveries = (tables: EventTables) => ({
  async sendTest(place: EndpointPlace): Promise<EventDelivery> {
    await requireActive(tables, place);
    const about = {
      organization_id: place.organizationId,
      endpoint_id: place.endpointId,
      id: newId(),
      event_id: newId(),
    };
    const payload = JSON.stringify({ message: "This is a test." });
    return toDelivery(await insertDelivery(tables, { ...about, type: testType, payload }));
  },

  async deliveries(place: EndpointPlace, { limit, cursor, status }: EventDeliveryQuery): Promise<EventDeliveryList> {
    await requireEndpoint(tables, place);
    const rows = await listDeliveries(tables, place, { status, beforeId: cursor, limit: limit + 1 });
    const page = rows.slice(0, limit);
    return { data: page.map(toDelivery), nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  },

  /** Sends the same event again, whatever became of it before. */
  async redeliver(place: DeliveryPlace): Promise<EventDelivery> {
    await requireActive(tables, place);
    return toDelivery((await restartDelivery(tables, place)) ?? refuseUnknown("delivery"));
  },
});

async function requireEndpoint(tables: EventTables, place: EndpointPlace): Promise<EndpointRow> {
  return (await findEndpoint(tables, place)) ?? refuseUnknown();
}

async function requireActive(tables: EventTables, place: EndpointPlace): Promise<void> {
  const { is_active } = await requireEndpoint(tables, place);
  if (!is_active) throw new Refusal("conflict", "The endpoint is switched off. Switch it on first.");
}

type EventTables = ReturnType<typeof eventTables>;

/** Early, to say it to the person who can mend it; when something is sent, the address is judged again. */
async function requireReachable(resolveFor: Options["resolveFor"], url: string): Promise<void> {
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== "" || password !== "") throw refuseUrl("must not contain a user name or password");
  await resolveFor[protocol === "http:" ? "http" : "https"](hostname).catch((error: unknown) => {
    // A name that is not known at this moment may be so later.
    if (!(error instanceof Refusal) || error.code !== "outbound_refused") return;
    throw refuseUrl(
      protocol === "http:" ? "must be https, unless the operator allows the address" : "is not a public address",
    );
  });
}

export const createOpenSecrets =
  (seal: Pick<Seal, "open">) =>
  ({ organizationId, endpointId, secretSealed }: EndpointPlace & { secretSealed: Buffer }): EndpointSecrets =>
    JSON.parse(seal.open(secretSealed, { organizationId, credentialId: endpointId })) as EndpointSecrets;

function refuseUnknown(thing = "endpoint"): never {
  throw new Refusal("not_found", `There is no such ${thing}.`);
}

const refuseUrl = (detail: string): Refusal =>
  new Refusal("validation_failed", `url ${detail}.`, { errors: [{ pointer: "/url", detail }] });

const toEndpoint = (row: EndpointRow): EventEndpoint =>
  eventEndpoint.parse({
    id: row.id,
    url: row.url,
    types: row.types,
    description: row.description,
    isActive: row.is_active,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  });

const toDelivery = (row: DeliveryRow): EventDelivery =>
  eventDelivery.parse({
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    data: JSON.parse(row.payload) as unknown,
  });

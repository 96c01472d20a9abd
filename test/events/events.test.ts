import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import type { EventDelivery, EventEndpointWithSecret } from "../../src/events/wire.ts";
import type { CallOutcome } from "../../src/history/record.ts";
import { lowestIdAt } from "../../src/records/time-of-id.ts";
import { startEventWorker } from "../support/events/event-workers.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { isSignedWith, startWebhookReceiver, type WebhookReceiver } from "../support/triggers/webhook-receiver.ts";
import { fakeCredentialTypes } from "../support/vault/fake-credentials.ts";

type Owner = Awaited<ReturnType<typeof signUpOwner>>;

let app: TestApp;
let receiver: WebhookReceiver;
let provider: FakeOAuth;
let ann: Owner;
let bob: Owner;
let aheadMs = 0;
const now = () => new Date(Date.now() + aheadMs);

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  provider = await startFakeOAuth();
  app = await startTestApp({
    clock: { now },
    credentialTypes: fakeCredentialTypes,
    environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" },
  });
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
  await provider.stop();
});

const pathOf = (owner: Owner) => `/api/organizations/${owner.organizationId}/event-endpoints`;
const allTypes = ["run.succeeded", "run.failed", "run.cancelled", "tool.failed", "credential.needs_reconnect"];

type Registered = EventEndpointWithSecret & { hook: string; own: string };

/** An endpoint with a path of its own at the receiver. */
async function register({
  types = ["run.failed"],
  owner = ann,
}: {
  types?: string[];
  owner?: Owner;
} = {}): Promise<Registered> {
  const hook = `/${randomUUID()}`;
  const { status, body } = await owner.browser.post(pathOf(owner), {
    url: receiver.url + hook,
    types,
    description: "Ours",
  });
  expect([status, body.code]).toEqual([201, undefined]);
  return { ...body, hook, own: `${pathOf(owner)}/${body.id}` };
}
const remove = ({ own }: Registered, owner = ann) => owner.browser.delete(own);
const publish = (type: string, data: unknown, { id = newId(), owner = ann } = {}) =>
  app.database.query("SELECT publish_event($1, $2, $3, $4)", [owner.organizationId, id, type, JSON.stringify(data)]);
const deliveriesOf = async ({ own }: Registered, query = "") =>
  (await ann.browser.get(`${own}/deliveries${query}`)).body as { data: EventDelivery[]; nextCursor: string | null };

/** The only delivery of an endpoint, as soon as it is as wanted. */
async function waitForDelivery(
  endpoint: Registered,
  isWanted: (delivery: EventDelivery) => boolean,
): Promise<EventDelivery> {
  for (const deadline = Date.now() + 10_000; ; await delay(20)) {
    const [delivery] = (await deliveriesOf(endpoint)).data;
    if (delivery && isWanted(delivery)) return delivery;
    if (Date.now() > deadline) throw new Error(`the delivery is ${JSON.stringify(delivery)}`);
  }
}
/** As if so much time had passed, for the process and for what waits in the database. */
async function letPass({ id }: Registered, ms: number): Promise<void> {
  aheadMs += ms;
  const change =
    "UPDATE event_delivery SET next_attempt_at = next_attempt_at - $1 * interval '1 millisecond' WHERE endpoint_id = $2";
  await app.database.query(change, [ms, id]);
}
const isDelivered = ({ status }: EventDelivery) => status === "delivered";

describe("an endpoint", () => {
  it("shows its secret when it is made, and then neither an answer nor the database has it", async () => {
    const { secret, own, ...made } = await register({ types: ["run.failed", "tool.failed", "run.failed"] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(secret.slice(6), "base64").length).toBe(32);
    expect(made).toMatchObject({
      types: ["run.failed", "tool.failed"],
      description: "Ours",
      isActive: true,
      disabledReason: null,
    });
    const answers = [
      await ann.browser.get(pathOf(ann)),
      await ann.browser.patch(own, { description: "Other" }),
      await ann.browser.post(`${own}/test`),
      await ann.browser.get(`${own}/deliveries`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 202, 200]);
    const stored = JSON.stringify(await dumpDatabase());
    expect(stored).toContain(made.id);
    const key = Buffer.from(secret.slice(6), "base64");
    for (const form of [secret.slice(6), key.toString("hex"), Buffer.from(secret).toString("hex")])
      for (const text of [...answers.map((answer) => answer.text), stored, app.logLines.join("")])
        expect(text).not.toContain(form);
  });

  it.each([
    ["http to a public address", "http://93.184.215.14/hook"],
    ["a private address", "https://10.0.0.1/hook"],
    ["what clouds answer metadata requests on", "https://169.254.169.254/latest"],
    ["a private IPv6 address", "https://[fd00::1]/hook"],
    ["a password in the address", "https://user:secret@example.com/hook"],
    ["another protocol", "ftp://example.com/hook"],
    ["a script", "javascript:alert(1)"],
    ["no address at all", "somewhere"],
  ])("refuses %s", async (_, url) => {
    const before = (await ann.browser.get(pathOf(ann))).text;
    const problem = expectProblem(await ann.browser.post(pathOf(ann), { url, types: ["run.failed"] }), {
      status: 400,
      code: "validation_failed",
    });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["/url"]);
    expect((await ann.browser.get(pathOf(ann))).text).toBe(before);
    const endpoint = await register();
    expectProblem(await ann.browser.patch(endpoint.own, { url }), { status: 400, code: "validation_failed" });
    await remove(endpoint);
  });

  it("is there twenty times at most, also when many are made at once", async () => {
    const cara = await signUpOwner(app, "Cara");
    const asked = { url: `${receiver.url}/cara`, types: ["run.failed"] };
    for (let number = 0; number < 18; number++) expect((await cara.browser.post(pathOf(cara), asked)).status).toBe(201);
    const client = new pg.Client(app.database.target);
    await client.connect();
    try {
      // Nobody inserts until all have had the time to count.
      await client.query("BEGIN; LOCK TABLE event_endpoint IN SHARE ROW EXCLUSIVE MODE");
      const creating = Array.from({ length: 6 }, () => cara.browser.post(pathOf(cara), asked));
      await delay(500);
      await client.query("COMMIT");
      const answers = await Promise.all(creating);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    } finally {
      await client.end();
    }
  });

  it.each(["member", "viewer"] as const)("is nothing for a %s", async (role) => {
    const endpoint = await register();
    const { browser } = await signUpMember(app, ann.organizationId, `Event${role}`, role);
    for (const [method, path, body] of callsOn(pathOf(ann), endpoint.id))
      expectProblem(await browser.send(method, path, body), { status: 403, code: "role_required" });
    const { browser: admin } = await signUpMember(app, ann.organizationId, `Eventadmin${role}`, "admin");
    expect((await admin.patch(endpoint.own, { description: "x" })).status).toBe(200);
    await remove(endpoint);
  });

  it("does not exist for the owner of another organization", async () => {
    const endpoint = await register();
    const [delivery] = [(await ann.browser.post(`${endpoint.own}/test`)).body as EventDelivery];
    await waitForDelivery(endpoint, isDelivered);
    for (const [method, path, body] of [
      ...callsOn(pathOf(ann), endpoint.id, delivery.id),
      ...callsOn(pathOf(bob), endpoint.id, delivery.id).slice(2),
    ])
      expectProblem(await bob.browser.send(method, path, body), { status: 404 });
    const other = await register({ owner: bob });
    expectProblem(await bob.browser.post(`${other.own}/deliveries/${delivery.id}/redeliver`), { status: 404 });
    expect(receiver.of(endpoint.hook)).toHaveLength(1);
    await Promise.all([remove(endpoint), remove(other, bob)]);
  });
});

const callsOn = (path: string, endpointId: string, deliveryId = newId()): [string, string, unknown?][] => [
  ["GET", path],
  ["POST", path, { url: "https://example.com", types: ["run.failed"] }],
  ["PATCH", `${path}/${endpointId}`, { isActive: false }],
  ["DELETE", `${path}/${endpointId}`],
  ["POST", `${path}/${endpointId}/rotate-secret`],
  ["POST", `${path}/${endpointId}/test`],
  ["GET", `${path}/${endpointId}/deliveries`],
  ["POST", `${path}/${endpointId}/deliveries/${deliveryId}/redeliver`],
];

/** Every row of every table, with binary contents both as they are and as text. */
async function dumpDatabase(): Promise<unknown[]> {
  const tables = await app.database.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const rows = await Promise.all(tables.map(({ name }) => app.database.query(`SELECT t::text FROM "${name}" t`)));
  return rows.flat();
}

describe("a delivery", () => {
  it("is signed as Standard Webhooks says, over exactly the bytes that are sent", async () => {
    const endpoint = await register();
    const { status, body } = await ann.browser.post(`${endpoint.own}/test`);
    expect([status, body.type, body.status]).toEqual([202, "test", "pending"]);
    const [event] = await receiver.waitFor(endpoint.hook);
    if (!event) throw new Error("nothing came");
    expect(isSignedWith(event, endpoint.secret, now())).toBe(true);
    expect(isSignedWith(event, `whsec_${Buffer.alloc(32).toString("base64")}`, now())).toBe(false);
    expect(isSignedWith({ ...event, body: `${event.body} ` }, endpoint.secret, now())).toBe(false);
    expect(event.headers).toMatchObject({ "webhook-id": body.eventId, "content-type": "application/json" });
    expect(JSON.parse(event.body)).toEqual({
      type: "test",
      timestamp: body.createdAt,
      data: { message: "This is a test." },
    });
    expect(await waitForDelivery(endpoint, isDelivered)).toMatchObject({
      attempts: 1,
      lastStatus: 204,
      lastError: null,
      nextAttemptAt: null,
      deliveredAt: expect.any(String),
    });
    await remove(endpoint);
  });

  it("is tried again after longer and longer pauses, as the same event, and then given up", async () => {
    const endpoint = await register();
    receiver.answer(endpoint.hook, { status: 500 });
    await publish("run.failed", { runId: "1" });
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      const { nextAttemptAt, status, lastError } = await waitForDelivery(
        endpoint,
        (one) => one.attempts === attempt && one.lastStatus === 500 && Date.parse(one.nextAttemptAt ?? "") > Date.now(),
      );
      expect([status, lastError]).toEqual(["pending", "The receiver answered with 500."]);
      const waitMs = Date.parse(nextAttemptAt ?? "") - Date.now();
      pauses.push(Math.round(waitMs / 1000));
      if (attempt === 1) {
        await letPass(endpoint, 2_000);
        await delay(1_200);
        expect(receiver.of(endpoint.hook)).toHaveLength(1);
      }
      await letPass(endpoint, waitMs);
      await receiver.waitFor(endpoint.hook, attempt + 1);
    }
    for (const [index, seconds] of [5, 30, 120, 600, 3600, 21_600].entries())
      expect(Math.abs((pauses[index] ?? 0) - seconds)).toBeLessThanOrEqual(1);
    expect(await waitForDelivery(endpoint, ({ status }) => status === "failed")).toMatchObject({
      attempts: 7,
      nextAttemptAt: null,
    });
    const events = receiver.of(endpoint.hook);
    expect(new Set(events.map(({ body }) => body)).size).toBe(1);
    expect(new Set(events.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const sentAt = events.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(sentAt).toEqual(sentAt.toSorted((one, other) => one - other));
    expect(
      events.every((event) =>
        isSignedWith(event, endpoint.secret, new Date(Number(event.headers["webhook-timestamp"]) * 1000)),
      ),
    ).toBe(true);
    await remove(endpoint);
  });

  it.each([
    ["behind", -20 * 60_000],
    ["ahead", 20 * 60_000],
  ])("is due by the clock of the database, when that of the process is far %s", async (_, shiftMs) => {
    const endpoint = await register();
    const usualMs = aheadMs;
    aheadMs = shiftMs;
    try {
      await publish("run.failed", {});
      const { id } = await waitForDelivery(endpoint, isDelivered);
      receiver.answer(endpoint.hook, { status: 500 });
      await ann.browser.post(`${endpoint.own}/deliveries/${id}/redeliver`);
      const { nextAttemptAt } = await waitForDelivery(endpoint, ({ lastStatus }) => lastStatus === 500);
      const waitMs = Date.parse(nextAttemptAt ?? "") - Date.now();
      expect(waitMs).toBeGreaterThan(3_000);
      expect(waitMs).toBeLessThanOrEqual(5_000);
      receiver.answer(endpoint.hook, {});
      const { body: test } = await ann.browser.post(`${endpoint.own}/test`);
      const { deliveredAt } = await waitForDelivery(endpoint, (one) => one.id === test.id && isDelivered(one));
      expect(Math.abs(Date.parse(deliveredAt ?? "") - Date.now())).toBeLessThan(5_000);
    } finally {
      aheadMs = usualMs;
      await remove(endpoint);
    }
  });

  it("waits as long as the receiver asks", async () => {
    const endpoint = await register();
    receiver.answer(endpoint.hook, { status: 429, headers: { "retry-after": "900" } });
    await publish("run.failed", {});
    const { nextAttemptAt } = await waitForDelivery(endpoint, ({ lastStatus }) => lastStatus === 429);
    const waitS = (Date.parse(nextAttemptAt ?? "") - Date.now()) / 1000;
    expect(waitS).toBeGreaterThan(890);
    expect(waitS).toBeLessThanOrEqual(900);
    await remove(endpoint);
  });

  it("that is answered with 410 switches the endpoint off", async () => {
    const endpoint = await register();
    receiver.answer(endpoint.hook, { status: 410 });
    await publish("run.failed", {});
    await waitForDelivery(endpoint, ({ status }) => status === "failed");
    const list = (await ann.browser.get(pathOf(ann))).body.data as { id: string }[];
    expect(list.find(({ id }) => id === endpoint.id)).toMatchObject({
      isActive: false,
      disabledReason: "The receiver answered with 410 Gone.",
    });
    await publish("run.failed", {});
    expect((await deliveriesOf(endpoint)).data).toHaveLength(1);
    expectProblem(await ann.browser.post(`${endpoint.own}/test`), { status: 409, code: "conflict" });
    receiver.answer(endpoint.hook, {});
    expect((await ann.browser.patch(endpoint.own, { isActive: true })).body).toMatchObject({
      isActive: true,
      disabledReason: null,
    });
    await publish("run.failed", {});
    await waitForDelivery(endpoint, isDelivered);
    await remove(endpoint);
  });

  it("does not follow a redirect", async () => {
    const endpoint = await register();
    receiver.answer(endpoint.hook, { status: 307, headers: { location: "/elsewhere" } });
    await publish("run.failed", {});
    expect(await waitForDelivery(endpoint, ({ lastStatus }) => lastStatus !== null)).toMatchObject({
      status: "pending",
      lastStatus: 307,
    });
    expect(receiver.of("/elsewhere")).toEqual([]);
    await remove(endpoint);
  });

  it.each([
    ["a private address", "https://10.0.0.1/"],
    ["a metadata address", "http://169.254.169.254/latest"],
    ["a public address without encryption", "http://93.184.215.14/"],
  ])("goes not to %s, also when the check at the registration was passed", async (_, url) => {
    const endpoint = await register();
    await app.database.query("UPDATE event_endpoint SET url = $1 WHERE id = $2", [url, endpoint.id]);
    await publish("run.failed", {});
    const { lastError, status } = await waitForDelivery(endpoint, (one) => one.lastError !== null);
    expect([status, lastError]).toEqual(["pending", expect.stringContaining("is not a public address")]);
    await remove(endpoint);
  });

  it("counts an answer whatever follows its first line, and reads none of it", async () => {
    const endpoint = await register();
    receiver.answer(endpoint.hook, { status: 200, endless: true });
    const before = receiver.brokenOff();
    await publish("run.failed", {});
    await waitForDelivery(endpoint, isDelivered);
    await expect.poll(() => receiver.brokenOff()).toBe(before + 1);
    await remove(endpoint);
  });

  it("has two signatures for a day after a rotation of the secret, then one", async () => {
    const endpoint = await register();
    const { body, status } = await ann.browser.post(`${endpoint.own}/rotate-secret`);
    expect(status).toBe(200);
    expect(body.secret).not.toBe(endpoint.secret);
    await publish("run.failed", {});
    const [both] = await receiver.waitFor(endpoint.hook);
    expect(both?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [endpoint.secret, body.secret]) expect(both && isSignedWith(both, secret, now())).toBe(true);
    aheadMs += 24 * 3_600_000;
    await publish("run.failed", {});
    const [, one] = await receiver.waitFor(endpoint.hook, 2);
    expect([endpoint.secret, body.secret].map((secret) => one && isSignedWith(one, secret, now()))).toEqual([
      false,
      true,
    ]);
    expect(JSON.stringify(await dumpDatabase())).not.toContain(
      Buffer.from(body.secret.slice(6), "base64").toString("hex"),
    );
    await remove(endpoint);
  });

  it("can be made again by hand, with the same id and content", async () => {
    const endpoint = await register();
    await publish("run.failed", { runId: "again" });
    const { id } = await waitForDelivery(endpoint, isDelivered);
    const { status, body } = await ann.browser.post(`${endpoint.own}/deliveries/${id}/redeliver`);
    expect([status, body.status, body.attempts]).toEqual([202, "pending", 0]);
    const [first, second] = await receiver.waitFor(endpoint.hook, 2);
    expect([second?.body, second?.headers["webhook-id"]]).toEqual([first?.body, first?.headers["webhook-id"]]);
    await waitForDelivery(endpoint, isDelivered);
    expectProblem(await ann.browser.post(`${endpoint.own}/deliveries/${newId()}/redeliver`), { status: 404 });
    await remove(endpoint);
  });

  it("is listed newest first, by pages and by status", async () => {
    const endpoint = await register();
    for (let number = 1; number <= 5; number++) {
      await publish("run.failed", { number });
      await delay(3);
    }
    await receiver.waitFor(endpoint.hook, 5);
    const first = await deliveriesOf(endpoint, "?limit=2");
    const second = await deliveriesOf(endpoint, `?limit=2&cursor=${first.nextCursor}`);
    const third = await deliveriesOf(endpoint, `?limit=2&cursor=${second.nextCursor}`);
    expect(
      [first, second, third].map(({ data }) => data.map((one) => (one.data as { number: number }).number)),
    ).toEqual([[5, 4], [3, 2], [1]]);
    expect(third.nextCursor).toBeNull();
    await expect.poll(async () => (await deliveriesOf(endpoint, "?status=delivered")).data.length).toBe(5);
    expect((await deliveriesOf(endpoint, "?status=failed")).data).toEqual([]);
    await remove(endpoint);
  });

  it("is removed when it is older than the history is kept", async () => {
    const endpoint = await register();
    await publish("run.failed", {});
    await publish("run.failed", {});
    await receiver.waitFor(endpoint.hook, 2);
    await waitForDelivery(endpoint, isDelivered);
    const old = lowestIdAt(new Date(Date.now() - 91 * 86_400_000));
    await app.database.query(
      "UPDATE event_delivery SET id = $1 WHERE id = (SELECT id FROM event_delivery WHERE endpoint_id = $2 LIMIT 1)",
      [old, endpoint.id],
    );
    expect(await app.parts.events.retention.run()).toBe(1);
    const left = (await deliveriesOf(endpoint)).data;
    expect(left.map(({ id }) => id)).toEqual([expect.not.stringContaining(old)]);
    await remove(endpoint);
  });

  it("is not held up by an endpoint that does not answer, which has four attempts under way at most", async () => {
    const [slow, quick] = [await register(), await register({ types: ["run.cancelled"] })];
    receiver.answer(slow.hook, { hang: true });
    for (let number = 0; number < 12; number++) await publish("run.failed", { number });
    await receiver.waitFor(slow.hook, 4);
    await publish("run.cancelled", {});
    await receiver.waitFor(quick.hook, 1, 3_000);
    await delay(1_200);
    expect(receiver.waitingOn(slow.hook)).toBe(4);
    await Promise.all([remove(slow), remove(quick)]);
  });
});

describe("what happened is told", () => {
  const call = (more: object = {}) => ({
    organizationId: ann.organizationId,
    id: newId(),
    source: "mcp" as const,
    serverId: "slack",
    tool: "slack_send_message",
    parameters: { text: "canary-parameter" },
    credentials: {},
    queueMs: 0,
    ...more,
  });
  const record = async (outcome: CallOutcome, more: object = {}) => {
    const one = call(more);
    await app.parts.history.recorder.open(one);
    await app.parts.history.recorder.close(one, outcome);
    await app.parts.history.recorder.close(one, outcome);
    return one;
  };

  it("of a tool call that failed or took too long, once, without what went in and out", async () => {
    const endpoint = await register({ types: ["tool.failed"] });
    const error = { code: "provider_error", message: 'Slack said "no".' };
    const apiKeyId = newId();
    const [failed, late] = await Promise.all([
      record(
        { status: "failed", error, outputs: { text: "canary-output" }, durationMs: 5 },
        { apiKeyId, apiKeyName: "CI" },
      ),
      record({ status: "timed_out", error: { code: "tool_timeout", message: "Too late." }, durationMs: 5 }),
      record({ status: "success", outputs: {}, durationMs: 5 }),
      record({ status: "cancelled", durationMs: 5 }),
    ]);
    await receiver.waitFor(endpoint.hook, 2);
    await delay(800);
    const events = receiver.of(endpoint.hook);
    expect(events).toHaveLength(2);
    expect(events.map(({ body }) => body).join()).not.toContain("canary");
    const told = Object.fromEntries(events.map(({ headers, body }) => [headers["webhook-id"], JSON.parse(body)]));
    expect(told[failed.id]).toEqual({
      type: "tool.failed",
      timestamp: expect.any(String),
      data: {
        recordId: failed.id,
        tool: "slack_send_message",
        serverId: "slack",
        status: "failed",
        error,
        apiKey: { id: apiKeyId, name: "CI" },
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(told[late.id].data).toMatchObject({ status: "timed_out", apiKey: null });
    await remove(endpoint);
  });

  it("of a credential that must be connected again, once for each time", async () => {
    const endpoint = await register({ types: ["credential.needs_reconnect"] });
    const data = provider.connection();
    provider.refreshTokens.clear();
    const about = { type: "fake_json", name: "My connection", data, createdBy: null };
    const { id, reference } = await app.parts.vault.credentials.create(ann.organizationId, about);
    const use = async () => {
      const [checked] = await app.parts.vault.check(ann.organizationId, { fake_json: reference }, ["fake_json"]);
      await expect(app.parts.vault.open(checked as NonNullable<typeof checked>)).rejects.toMatchObject({
        code: "credential_needs_reconnect",
      });
    };
    await use();
    await use();
    const [event] = await receiver.waitFor(endpoint.hook);
    await delay(800);
    expect(receiver.of(endpoint.hook)).toHaveLength(1);
    expect(JSON.parse(event?.body ?? "")).toMatchObject({
      type: "credential.needs_reconnect",
      data: { credentialId: id, name: "My connection", type: "fake_json" },
    });
    expect(event?.body).not.toContain(data.refreshToken);
    for (const health of ["needs_reconnect", "ok", "needs_reconnect"])
      await app.database.query("UPDATE credential SET health = $1 WHERE id = $2", [health, id]);
    await receiver.waitFor(endpoint.hook, 2);
    await delay(800);
    expect(new Set(receiver.of(endpoint.hook).map(({ headers }) => headers["webhook-id"])).size).toBe(2);
    expect(receiver.of(endpoint.hook)).toHaveLength(2);
    await remove(endpoint);
  });

  it("of a credential whose token has expired and cannot be refreshed, once, however many calls meet it", async () => {
    const endpoint = await register({ types: ["credential.needs_reconnect"] });
    const { refreshToken: _, ...data } = provider.connection(new Date(now().getTime() + 60_000));
    const about = { type: "fake_json", name: "Short-lived", data, createdBy: null };
    const { id, reference } = await app.parts.vault.credentials.create(ann.organizationId, about);
    const check = async () => {
      const [checked] = await app.parts.vault.check(ann.organizationId, { fake_json: reference }, ["fake_json"]);
      return checked as NonNullable<typeof checked>;
    };
    const underWay = await check();
    await app.parts.vault.open(underWay);
    aheadMs += 61_000;
    const meeting = await Promise.all([check(), check()]);
    const needsReconnect = { code: "credential_needs_reconnect" };
    for (const checked of meeting) await expect(app.parts.vault.open(checked)).rejects.toMatchObject(needsReconnect);
    const [event] = await receiver.waitFor(endpoint.hook);
    expect(JSON.parse(event?.body ?? "").data).toMatchObject({
      credentialId: id,
      name: "Short-lived",
      type: "fake_json",
    });
    const stored = () =>
      app.database.query("SELECT health, last_error, last_ok_at FROM credential WHERE id = $1", [id]);
    const needed = [{ health: "needs_reconnect", last_error: expect.stringContaining("expired"), last_ok_at: null }];
    expect(await stored()).toEqual(needed);
    // A call that began before the end of the token succeeds after it.
    app.parts.vault.health.noteSuccess(underWay);
    await expect(app.parts.vault.open(await check())).rejects.toMatchObject(needsReconnect);
    await delay(800);
    expect(await stored()).toEqual(needed);
    expect(receiver.of(endpoint.hook)).toHaveLength(1);
    await remove(endpoint);
  });

  it("only if it became true: what is rolled back is told to nobody", async () => {
    const endpoint = await register();
    const client = new pg.Client(app.database.target);
    await client.connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT publish_event($1, $2, 'run.failed', '{}')", [ann.organizationId, newId()]);
      await client.query("ROLLBACK");
    } finally {
      await client.end();
    }
    await publish("run.failed", { real: true });
    const [event] = await receiver.waitFor(endpoint.hook);
    await delay(800);
    expect(JSON.parse(event?.body ?? "").data).toEqual({ real: true });
    expect(receiver.of(endpoint.hook)).toHaveLength(1);
    await remove(endpoint);
  });

  it("once, also when it is published twice, and in one statement for many", async () => {
    const endpoint = await register({ types: allTypes });
    const ids = Array.from({ length: 5 }, newId);
    for (let round = 0; round < 2; round++)
      await app.database.query("SELECT publish_event($1, id, 'run.succeeded', '{}') FROM unnest($2::uuid[]) AS id", [
        ann.organizationId,
        ids,
      ]);
    await receiver.waitFor(endpoint.hook, 5);
    await delay(800);
    expect(
      receiver
        .of(endpoint.hook)
        .map(({ headers }) => headers["webhook-id"])
        .sort(),
    ).toEqual(ids);
    await remove(endpoint);
  });

  it("to the endpoints of the own organization that asked for it, to nobody else", async () => {
    const [own, otherType, foreign] = [
      await register(),
      await register({ types: ["run.succeeded"] }),
      await register({ owner: bob }),
    ];
    await publish("run.failed", {});
    await receiver.waitFor(own.hook);
    await delay(800);
    expect([receiver.of(otherType.hook), receiver.of(foreign.hook)]).toEqual([[], []]);
    await Promise.all([remove(own), remove(otherType), remove(foreign, bob)]);
  });

  it("without failing what happened when the endpoint is deleted at the same moment", async () => {
    const endpoint = await register();
    const client = new pg.Client(app.database.target);
    await client.connect();
    try {
      await client.query("BEGIN");
      await client.query("DELETE FROM event_endpoint WHERE id = $1", [endpoint.id]);
      const publishing = publish("run.failed", {});
      await delay(200);
      await client.query("COMMIT");
      expect(await publishing).toHaveLength(1);
    } finally {
      await client.end();
    }
  });
});

describe("several processes that deliver", { timeout: 60_000 }, () => {
  const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" };
  let platform: TestApp;
  let dora: Owner;
  beforeAll(async () => {
    platform = await startTestApp({ roles: ["platform"], environment });
    dora = await signUpOwner(platform, "Dora");
  });
  afterAll(() => platform.stop());

  const startWorker = (leaseMs: number) =>
    startEventWorker({
      target: platform.database.target,
      masterKey: platform.config.masterKey?.toString("base64") ?? "",
      leaseMs,
    });
  const publishHere = (id: string) =>
    platform.database.query("SELECT publish_event($1, $2, 'run.failed', '{}')", [dora.organizationId, id]);
  const idsAt = ({ hook }: Registered) => receiver.of(hook).map(({ headers }) => headers["webhook-id"]);

  it("send each event once", async () => {
    const endpoints = await Promise.all(Array.from({ length: 3 }, () => register({ owner: dora })));
    const workers = await Promise.all([startWorker(60_000), startWorker(60_000), startWorker(60_000)]);
    try {
      const ids = Array.from({ length: 25 }, newId);
      for (const id of ids) await publishHere(id);
      for (const { hook } of endpoints) await receiver.waitFor(hook, 25, 30_000);
      await delay(500);
      for (const endpoint of endpoints) expect(idsAt(endpoint).sort()).toEqual(ids);
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
    await Promise.all(endpoints.map((endpoint) => remove(endpoint, dora)));
  });

  it("take over what a killed one had begun, after its lease and not before", async () => {
    const endpoint = await register({ owner: dora });
    const eventId = newId();
    receiver.answer(endpoint.hook, { hang: true });
    const first = await startWorker(3_000);
    await publishHere(eventId);
    await receiver.waitFor(endpoint.hook);
    await first.kill();
    receiver.answer(endpoint.hook, {});
    const second = await startWorker(3_000);
    try {
      const [begun, again] = await receiver.waitFor(endpoint.hook, 2);
      expect(again && isSignedWith(again, endpoint.secret)).toBe(true);
      expect((again?.at ?? 0) - (begun?.at ?? 0)).toBeGreaterThan(1_500);
      await delay(500);
      expect(idsAt(endpoint)).toEqual([eventId, eventId]);
      const { body } = await dora.browser.get(`${endpoint.own}/deliveries`);
      expect(body.data).toMatchObject([{ status: "delivered", attempts: 2 }]);
    } finally {
      await second.kill();
    }
  });

  it("do not listen to one that says too late how its attempt ended", async () => {
    const endpoint = await register({ owner: dora });
    receiver.answer(endpoint.hook, { hang: true });
    const late = await startWorker(500);
    await publishHere(newId());
    await receiver.waitFor(endpoint.hook);
    receiver.answer(endpoint.hook, {});
    try {
      await receiver.waitFor(endpoint.hook, 2);
      await delay(300);
      receiver.answerWaiting(endpoint.hook, 500);
      await delay(500);
      const { body } = await dora.browser.get(`${endpoint.own}/deliveries`);
      expect(body.data).toMatchObject([{ status: "delivered", attempts: 2, lastStatus: 204 }]);
    } finally {
      await late.kill();
    }
  });

  it("go on without a gap when the master key is changed", async () => {
    const endpoint = await register({ owner: dora });
    const next = Buffer.alloc(32, "next").toString("base64");
    const previous = platform.config.masterKey?.toString("base64") ?? "";
    const changed = await startTestApp({
      roles: ["worker"],
      database: platform.database,
      environment: { ...environment, SWITCHYARD_MASTER_KEY: next, SWITCHYARD_MASTER_KEY_PREVIOUS: previous },
    });
    try {
      expect(await changed.parts.vault.masterKey.rotate()).toMatchObject({ unreadable: [] });
    } finally {
      await changed.stop();
    }
    const later = await startEventWorker({ target: platform.database.target, masterKey: next, leaseMs: 60_000 });
    try {
      await publishHere(newId());
      const [event] = await receiver.waitFor(endpoint.hook);
      expect(event && isSignedWith(event, endpoint.secret)).toBe(true);
    } finally {
      await later.kill();
    }
  });
});

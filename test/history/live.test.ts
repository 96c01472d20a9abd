import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import type { ArrivedCall } from "../../src/history/record.ts";
import type { ToolCallEntry } from "../../src/history/wire.ts";
import type { Browser } from "../support/browser-client.ts";
import { password, signIn, signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let near: TestApp;
let far: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let annFar: Browser;

beforeAll(async () => {
  near = await startTestApp();
  far = await startTestApp({ database: near.database });
  ann = await signUpOwner(near, "Ann");
  annFar = (await signIn(far, ann.email)).browser;
});
afterAll(async () => {
  await far.stop();
  await near.stop();
});

const newOrganization = async () =>
  (await ann.browser.post("/api/organizations", { name: "Another" })).body.id as string;

const callOf = (organizationId: string): ArrivedCall => ({
  organizationId,
  id: newId(),
  source: "mcp",
  serverId: "slack",
  tool: "slack_send_message",
  parameters: {},
  credentials: {},
  queueMs: 0,
});

async function record(app: TestApp, call: ArrivedCall): Promise<void> {
  await app.parts.history.recorder.open(call);
  await app.parts.history.recorder.close(call, { status: "success", outputs: {}, durationMs: 1 });
}

type Seen = { id: string; name: string; data: ToolCallEntry };

/** What the page's EventSource would see, on a connection that can be cut. */
async function follow(
  app: TestApp,
  browser: Browser,
  { organizationId, lastEventId }: { organizationId: string; lastEventId?: string | undefined },
) {
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const headers = { cookie, ...(lastEventId ? { "last-event-id": lastEventId } : {}) };
  const request: ClientRequest = get(`${app.platformUrl}/api/organizations/${organizationId}/events`, {
    headers,
    agent: false,
  });
  request.on("error", () => {});
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const events: Seen[] = [];
  const stream = {
    events,
    lastId: lastEventId,
    comments: 0,
    retryMs: 0,
    isClosed: false,
    response,
    kill: () => request.destroy(),
  };
  response.on("error", () => {});
  response.on("close", () => (stream.isClosed = true));
  const onBlock = (block: string): void => {
    if (block.startsWith(":")) stream.comments += 1;
    const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/, 2)));
    stream.lastId = fields.id ?? stream.lastId;
    stream.retryMs = Number(fields.retry ?? stream.retryMs);
    if (fields.data !== undefined) events.push({ id: fields.id, name: fields.event, data: JSON.parse(fields.data) });
  };
  let text = "";
  response.on("data", (chunk: Buffer) => {
    const blocks = (text + chunk.toString()).split("\n\n");
    text = blocks.pop() ?? "";
    blocks.forEach(onBlock);
  });
  return stream;
}

const statesOf = (events: Seen[], id: string) =>
  events.filter(({ data }) => data.id === id).map(({ data }) => data.status);

describe("a stream", () => {
  it("shows a call of another process within a second, when it starts and when it ends, as the list shows it", async () => {
    const organizationId = await newOrganization();
    const stream = await follow(far, annFar, { organizationId });
    expect(stream.response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    const first = callOf(organizationId);
    await record(near, first);
    await expect.poll(() => statesOf(stream.events, first.id).at(-1), { timeout: 5_000 }).toBe("success");
    for (let round = 0; round < 5; round++) {
      const call = callOf(organizationId);
      await near.parts.history.recorder.open(call);
      await expect.poll(() => statesOf(stream.events, call.id), { timeout: 1_000, interval: 10 }).toEqual(["running"]);
      await near.parts.history.recorder.close(call, {
        status: "failed",
        error: { code: "x", message: "y" },
        durationMs: 1,
      });
      await expect
        .poll(() => statesOf(stream.events, call.id), { timeout: 1_000, interval: 10 })
        .toEqual(["running", "failed"]);
      const { body } = await ann.browser.get(`/api/organizations/${organizationId}/tool-calls?limit=1`);
      expect(stream.events.at(-1)).toMatchObject({ name: "tool-call", data: body.data[0] });
    }
    stream.kill();
  });

  it("first tells the browser to come back within a second when the connection is lost", async () => {
    const stream = await follow(near, ann.browser, { organizationId: ann.organizationId });
    await expect.poll(() => stream.retryMs).toBe(500);
    stream.kill();
  });

  it("shows nothing of another organization", async () => {
    const [mine, theirs] = [await newOrganization(), await newOrganization()];
    const stream = await follow(far, annFar, { organizationId: mine });
    await record(near, callOf(theirs));
    const own = callOf(mine);
    await record(near, own);
    await expect.poll(() => statesOf(stream.events, own.id).at(-1), { timeout: 5_000 }).toBe("success");
    expect(new Set(stream.events.map(({ data }) => data.id))).toEqual(new Set([own.id]));
    stream.kill();
  });

  it("that is killed a hundred times and comes back has seen exactly what the list has", async () => {
    const organizationId = await newOrganization();
    let isWriting = true;
    const write = async (app: TestApp) => {
      while (isWriting) {
        await record(app, callOf(organizationId));
        await delay(20);
      }
    };
    const writers = Promise.all([write(near), write(far), write(near)]);
    const live = new Map<string, string>();
    let lastEventId: string | undefined;
    const places = [
      { app: near, browser: ann.browser },
      { app: far, browser: annFar },
    ];
    for (const { app, browser } of Array.from({ length: 50 }, () => places).flat()) {
      const stream = await follow(app, browser, { organizationId, lastEventId });
      await delay(Math.random() * 60);
      stream.kill();
      lastEventId = stream.lastId;
      for (const { data } of stream.events) live.set(data.id, data.status);
    }
    isWriting = false;
    await writers;
    const last = await follow(near, ann.browser, { organizationId, lastEventId });
    await delay(1_000);
    last.kill();
    expect(last.events.some(({ name }) => name === "reload")).toBe(false);
    for (const { data } of last.events) live.set(data.id, data.status);
    const rows = await near.database.query<{ id: string; status: string }>(
      "SELECT id, status FROM tool_call WHERE organization_id = $1",
      [organizationId],
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(Object.fromEntries(live)).toEqual(Object.fromEntries(rows.map(({ id, status }) => [id, status])));
  }, 60_000);

  it("shows a row that was begun earlier and committed later, live and after coming back", async () => {
    const organizationId = await newOrganization();
    const stream = await follow(near, ann.browser, { organizationId });
    const slow = new pg.Client(near.database.target);
    await slow.connect();
    const late = newId();
    await slow.query("BEGIN");
    await slow.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, queue_ms, truncated, sanitized, owner)
       VALUES ($1, $2, 'mcp', 'slack', 'late', 'success', '{}', '{}', now(), 0, false, false, $1)`,
      [organizationId, late],
    );
    await delay(6_000);
    const early = callOf(organizationId);
    await record(far, early);
    await expect.poll(() => statesOf(stream.events, early.id).at(-1), { timeout: 2_000 }).toBe("success");
    const lastEventId = stream.lastId ?? "";
    await slow.query("COMMIT");
    await slow.end();
    const again = await follow(far, annFar, { organizationId, lastEventId });
    await expect.poll(() => statesOf(again.events, late), { timeout: 2_000 }).toEqual(["success"]);
    await expect.poll(() => statesOf(stream.events, late), { timeout: 8_000 }).toEqual(["success"]);
    expect(statesOf(stream.events, early.id).filter((status) => status === "success")).toHaveLength(1);
    stream.kill();
    again.kill();
  }, 30_000);

  it("goes on when the connection that hears other processes is lost", async () => {
    const organizationId = await newOrganization();
    const stream = await follow(far, annFar, { organizationId });
    const own = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'switchyard live'";
    await expect.poll(() => near.database.query(`SELECT pid ${own}`)).toHaveLength(2);
    await near.database.query(`SELECT pg_terminate_backend(pid) ${own}`);
    const call = callOf(organizationId);
    await record(near, call);
    await expect.poll(() => statesOf(stream.events, call.id).at(-1), { timeout: 4_000 }).toBe("success");
    await expect.poll(() => near.database.query(`SELECT pid ${own}`), { timeout: 4_000 }).toHaveLength(2);
    const next = callOf(organizationId);
    await record(near, next);
    await expect.poll(() => statesOf(stream.events, next.id).at(-1), { timeout: 1_000, interval: 10 }).toBe("success");
    stream.kill();
  });

  it.each(["nonsense", "-5", "0", "99999999999999999999", "1e400"])(
    "told that the last event was %s asks for the list to be read anew",
    async (lastEventId) => {
      const stream = await follow(near, ann.browser, { organizationId: ann.organizationId, lastEventId });
      await expect.poll(() => stream.events.map(({ name }) => name)).toEqual(["reload"]);
      stream.kill();
    },
  );

  it("ends within a second in every process for a removed member, a signed-out one and one who signed in anew, and says to others that it lives", async () => {
    const [mona, rita, nora, vera] = await Promise.all([
      signUpMember(near, ann.organizationId, "Mona", "viewer"),
      signUpMember(near, ann.organizationId, "Rita", "viewer"),
      signUpMember(near, ann.organizationId, "Nora", "viewer"),
      signUpMember(near, ann.organizationId, "Vera", "viewer"),
    ]);
    const open = (app: TestApp, browser: Browser) => follow(app, browser, { organizationId: ann.organizationId });
    const openBoth = (browser: Browser) => Promise.all([open(near, browser), open(far, browser)]);
    const streams = (await Promise.all([mona, rita, nora, vera].map(({ browser }) => openBoth(browser)))).flat();
    const closed = () => streams.map(({ isClosed }) => isClosed);
    const isOver = (people: number) => [0, 1, 2, 3].flatMap((index) => [index < people, index < people]);
    await ann.browser.delete(`/api/organizations/${ann.organizationId}/members/${mona.memberId}`);
    await expect.poll(closed, { timeout: 1_000, interval: 20 }).toEqual(isOver(1));
    await rita.browser.post("/api/sign-out");
    await expect.poll(closed, { timeout: 1_000, interval: 20 }).toEqual(isOver(2));
    await nora.browser.post("/api/sign-in", { email: nora.email, password });
    await expect.poll(closed, { timeout: 1_000, interval: 20 }).toEqual(isOver(3));
    await expect.poll(() => streams[7]?.comments, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(closed()).toEqual(isOver(3));
    const cookies = [...mona.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const again = await fetch(`${near.platformUrl}/api/organizations/${ann.organizationId}/events`, {
      headers: { cookie: cookies },
    });
    expect(again.status).toBe(404);
    for (const stream of streams) stream.kill();
  }, 60_000);

  it("of a client that does not read is cut off, and others get everything", async () => {
    const organizationId = await newOrganization();
    const [idle, reader] = await Promise.all([
      follow(near, ann.browser, { organizationId }),
      follow(near, ann.browser, { organizationId }),
    ]);
    idle.response.pause();
    await near.database.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, error_code, error_message, parameters, credentials, queued_at, queue_ms, truncated, sanitized, owner)
       SELECT $1, uuidv7(), 'mcp', 'slack', 'many', 'failed', 'x', repeat('long ', 500), '{}', '{}', now(), 0, false, false, $1 FROM generate_series(1, 8000)`,
      [organizationId],
    );
    await expect.poll(() => reader.events.length, { timeout: 20_000 }).toBe(8_000);
    idle.response.resume();
    await expect.poll(() => idle.isClosed, { timeout: 5_000 }).toBe(true);
    expect(idle.events.length).toBeLessThan(8_000);
    expect(reader.isClosed).toBe(false);
    reader.kill();
  }, 40_000);

  it("is refused to who has twenty already, until one of them is closed", async () => {
    const carl = await signUpMember(near, ann.organizationId, "Carl", "viewer");
    const open = () => follow(near, carl.browser, { organizationId: ann.organizationId });
    const streams = await Promise.all(Array.from({ length: 20 }, open));
    expect(streams.map(({ response }) => response.statusCode)).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await open()).response.statusCode).toBe(429);
    const others = await follow(near, ann.browser, { organizationId: ann.organizationId });
    expect(others.response.statusCode).toBe(200);
    streams[0]?.kill();
    await expect.poll(async () => (await open()).response.statusCode, { timeout: 5_000 }).toBe(200);
    for (const { kill } of [...streams, others]) kill();
  });

  it("ends when the server stops, which does not wait for it", async () => {
    const third = await startTestApp({ database: near.database });
    const { browser } = await signIn(third, ann.email);
    const stream = await follow(third, browser, { organizationId: ann.organizationId });
    const startedAt = performance.now();
    await third.stop();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(stream.isClosed).toBe(true);
  });
});

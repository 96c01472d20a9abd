import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { definePoll, type Poll, type PollPage } from "../../../src/contract/poll.ts";
import { type Answer, startFakeProvider } from "../providers/fake-provider.ts";
import { node, startWorkflowApp } from "../runs/workflow-app.ts";
import { createLookingProcess, plantPoll } from "./looking-processes.ts";

export type PollApp = Awaited<ReturnType<typeof startPollApp>>;
export type MadePoll = {
  id: string;
  lastError: string | null;
  poll: Record<string, unknown> & { lastPolledAt: string | null; nextPollAt: string };
};

/** What only a look takes away again. */
const notLooked = "Nobody has looked yet.";

/** Entries of a feed, newest first, as feeds have them. */
export const feedOf = (...ids: string[]): Answer => ({
  headers: { "content-type": "application/rss+xml" },
  body: `<rss version="2.0"><channel><title>News</title>${ids
    .map((id) => `<item><guid>${id}</guid><title>Entry ${id}</title><author>ann@example.test</author></item>`)
    .join("")}</channel></rss>`,
});

/** The application with a feed on loopback, and short ways to triggers that look at it. */
export async function startPollApp(environment: Record<string, string> = {}) {
  const feed = await startFakeProvider();
  const flows = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", ...environment } });
  const { app, owner } = flows;
  const workflowId = await flows.save([node("a", "set_fields", { fields: { x: "1" } })]);
  const path = `${flows.path}/triggers`;
  const { query } = app.database;
  const parameters = { url: `${feed.url}/feed.xml` };
  const asked = { workflowId, kind: "poll", name: "News", provider: "http" };
  const read = async (triggerId: string): Promise<MadePoll> =>
    (await owner.browser.get(`${path}/${triggerId}`)).body as MadePoll;

  async function create(poll: Record<string, unknown> = {}, fields: Record<string, unknown> = {}): Promise<MadePoll> {
    const { status, body } = await owner.browser.post(path, {
      ...asked,
      poll: { event: "new_feed_entry", parameters, ...poll },
      ...fields,
    });
    expect([status, body.errors]).toEqual([201, undefined]);
    return body as MadePoll;
  }

  /** Until the row says that a look is over, whatever came of it. */
  async function whenLooked(triggerId: string): Promise<MadePoll> {
    for (let tries = 0; tries < 400; tries++) {
      const [row] = await query(
        "SELECT id FROM trigger WHERE id = $1 AND poll_wait_seconds > 0 AND last_error IS DISTINCT FROM $2",
        [triggerId, notLooked],
      );
      if (row) return await read(triggerId);
      await delay(25);
    }
    throw new Error("nobody looked");
  }

  return {
    feed,
    flows,
    app,
    owner,
    workflowId,
    path,
    asked,
    parameters,
    read,
    create,
    whenLooked,
    query,

    /** Lets it look now at a feed that answers so, and waits until that is over. */
    async look(triggerId: string, ...answers: Answer[]): Promise<MadePoll> {
      feed.script(answers);
      await query("UPDATE trigger SET last_error = $2 WHERE id = $1", [triggerId, notLooked]);
      expect((await owner.browser.post(`${path}/${triggerId}/poll`, {})).status).toBe(200);
      return await whenLooked(triggerId);
    },

    /** `$trigger` of the runs that it started, in order. */
    async startedBy(triggerId: string): Promise<{ payload: { id: string }; [field: string]: unknown }[]> {
      const rows = await query<{ data: string }>(
        "SELECT trigger_data AS data FROM run WHERE trigger_id = $1 ORDER BY id",
        [triggerId],
      );
      return rows.map(({ data }) => JSON.parse(data));
    },

    async stop(): Promise<void> {
      await flows.stop();
      await feed.stop();
    },
  };
}

export type ThingApp = Awaited<ReturnType<typeof startThingApp>>;

/** The application without a worker: the service is of the test, and so are the processes that look at it. */
export async function startThingApp() {
  const flows = await startWorkflowApp({ roles: ["platform", "gateway"] });
  const workflowId = await flows.save([node("a", "set_fields", { fields: {} })]);
  const { app, owner, path } = flows;
  return {
    flows,
    app,
    owner,
    path,
    workflowId,
    query: (text: string, values: unknown[] = []) => app.database.query<Record<string, unknown>>(text, values),
    /** A trigger that is due. */
    plant: (fields: { takesExisting?: boolean } = {}) =>
      plantPoll(app, newThing({ list: async () => pageOf(0, 0) }), {
        organizationId: owner.organizationId,
        workflowId,
        ...fields,
      }),
    looking: (poll: Poll, limits: Parameters<typeof createLookingProcess>[2] = {}) =>
      createLookingProcess(app, poll, limits),
    stop: () => flows.stop(),
  };
}

type Service = { list: (mark: string | null) => Promise<PollPage>; read?: Poll["read"] };

export const newThing = ({ list, read = null }: Service): Poll =>
  definePoll({
    id: "new_thing",
    title: "New thing",
    description: "For tests.",
    parameters: z.strictObject({}),
    everySeconds: { least: 60, usual: 600 },
    worksWithoutAccount: true,
    list: (_, { mark }) => list(mark),
    ...(read ? { read } : {}),
  });

/** Things with their numbers, where the number of the next one is the mark. */
export const pageOf = (from: number, to: number, hasMore = false): PollPage => ({
  items: numbers(from, to).map((number) => ({ id: String(number), payload: number })),
  mark: String(to),
  hasMore,
});

export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EventSource as ServerSideEventSource } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFollow, type WatchPage } from "./live.ts";

const organizationId = "0198a5c2-0000-7000-8000-000000000001";
let open: ServerResponse[];
let requests: { url: string | undefined; lastEventId: unknown }[];
let answerStatus: number;
let openSource: (address: string) => EventSource;
let follow: ReturnType<typeof createFollow>;
let pages: { show: (isShown: boolean) => void }[];

/** A page of a browser. With locks it shares one stream with the others; without, it is one over plain http. */
function openPage(locks?: Pick<LockManager, "request">) {
  const watchers = new Set<(isShown: boolean) => void>();
  const watchPage: WatchPage = (onChange) => {
    watchers.add(onChange);
    onChange(true);
    return () => watchers.delete(onChange);
  };
  const page = {
    follow: createFollow({ openSource, locks, watchPage }),
    show: (isShown: boolean) => {
      for (const watcher of watchers) watcher(isShown);
    },
  };
  pages.push(page);
  return page;
}

/** As browsers hold exclusive locks: first come, first served, until the promise of the holder settles. */
function createLocks(): Pick<LockManager, "request"> {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_name: string, { signal }: LockOptions, hold: LockGrantedCallback<unknown>) => {
    const mine = last.then(() =>
      signal?.aborted ? Promise.reject(signal.reason as Error) : hold({ mode: "exclusive", name: _name }),
    );
    last = mine.catch(() => undefined);
    return mine;
  };
  return { request: request as LockManager["request"] };
}

const server = createServer((request, response) => {
  requests.push({ url: request.url, lastEventId: request.headers["last-event-id"] });
  response.writeHead(answerStatus, { "content-type": "text/event-stream" });
  if (answerStatus !== 200) return void response.end();
  response.write("retry: 20\n\n");
  open.push(response);
});

beforeEach(async () => {
  [open, requests, answerStatus] = [[], [], 200];
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  openSource = (address) => new ServerSideEventSource(base + address) as unknown as EventSource;
  pages = [];
  follow = openPage().follow;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const send = (id: number, kind: string, data: object) =>
  open.at(-1)?.write(`id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);

function listen(followIt = follow) {
  const told: string[] = [];
  const leave = followIt(organizationId, (event) =>
    told.push(event.kind === "reload" ? "reload" : `${event.kind} ${event.data.id}`),
  );
  return { told, leave };
}

it("tells once that lists must be read anew, then what happens", async () => {
  const { told, leave } = listen();
  await expect.poll(() => told).toEqual(["reload"]);
  send(1, "tool-call", { id: "a" });
  send(2, "run", { id: "b" });
  await expect.poll(() => told).toEqual(["reload", "tool-call a", "run b"]);
  leave();
});

it("shares one connection among listeners and ends it with the last", async () => {
  const [one, other] = [listen(), listen()];
  await expect.poll(() => [one.told, other.told]).toEqual([["reload"], ["reload"]]);
  expect(requests).toEqual([{ url: `/api/organizations/${organizationId}/events`, lastEventId: undefined }]);
  one.leave();
  send(1, "run", { id: "a" });
  await expect.poll(() => other.told).toEqual(["reload", "run a"]);
  expect(one.told).toEqual(["reload"]);
  const [response] = open;
  other.leave();
  await expect.poll(() => response?.destroyed || response?.closed).toBe(true);
});

it("comes back from a loss with the id of the last event, and reads nothing anew then", async () => {
  const { told, leave } = listen();
  await expect.poll(() => told).toEqual(["reload"]);
  send(7, "run", { id: "a" });
  await expect.poll(() => told).toEqual(["reload", "run a"]);
  open[0]?.end();
  await expect.poll(() => requests.map(({ lastEventId }) => lastEventId)).toEqual([undefined, "7"]);
  send(8, "run", { id: "b" });
  await expect.poll(() => told).toEqual(["reload", "run a", "run b"]);
  leave();
});

it("comes back from a refusal, which browsers do not, and reads everything anew", async () => {
  answerStatus = 503;
  const { told, leave } = listen();
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  answerStatus = 200;
  await expect.poll(() => told, { timeout: 3_000 }).toEqual(["reload"]);
  leave();
});

it("has no connection while the page is hidden, and goes on after the last event it knows", async () => {
  const { told, leave } = listen();
  await expect.poll(() => told).toEqual(["reload"]);
  send(7, "run", { id: "a" });
  await expect.poll(() => told).toEqual(["reload", "run a"]);
  pages[0]?.show(false);
  await expect.poll(() => open[0]?.destroyed || open[0]?.closed).toBe(true);
  expect(requests).toHaveLength(1);
  pages[0]?.show(true);
  await expect.poll(() => requests.map(({ url }) => url?.split("?")[1])).toEqual([undefined, "lastEventId=7"]);
  await expect.poll(() => open).toHaveLength(2);
  send(8, "run", { id: "b" });
  await expect.poll(() => told).toEqual(["reload", "run a", "run b"]);
  leave();
});

describe("pages of one browser", () => {
  it("share one connection, and each reads its lists anew once when it joins", async () => {
    const locks = createLocks();
    const listeners = [listen(openPage(locks).follow), listen(openPage(locks).follow)];
    await expect.poll(() => listeners.map(({ told }) => told)).toEqual([["reload"], ["reload"]]);
    const late = listen(openPage(locks).follow);
    await expect.poll(() => late.told).toEqual(["reload"]);
    send(1, "run", { id: "a" });
    for (const { told } of [...listeners, late]) await expect.poll(() => told).toEqual(["reload", "run a"]);
    expect(requests).toHaveLength(1);
    for (const { leave } of [...listeners, late]) leave();
    await expect.poll(() => open[0]?.destroyed || open[0]?.closed).toBe(true);
  });

  it("hand the connection on: the next one goes on after the last event that all of them know", async () => {
    const locks = createLocks();
    const [one, other] = [openPage(locks), openPage(locks)];
    const listeners = [listen(one.follow), listen(other.follow)];
    await expect.poll(() => listeners.map(({ told }) => told)).toEqual([["reload"], ["reload"]]);
    send(5, "run", { id: "a" });
    await expect.poll(() => listeners[1]?.told).toEqual(["reload", "run a"]);
    one.show(false);
    await expect.poll(() => requests.map(({ url }) => url?.split("?")[1])).toEqual([undefined, "lastEventId=5"]);
    await expect.poll(() => open).toHaveLength(2);
    send(6, "run", { id: "b" });
    await expect.poll(() => listeners[1]?.told).toEqual(["reload", "run a", "run b"]);
    expect(listeners[0]?.told).toEqual(["reload", "run a"]);
    // It cannot know what the others were told in the meantime.
    one.show(true);
    await expect.poll(() => listeners[0]?.told).toEqual(["reload", "run a", "reload"]);
    expect(requests).toHaveLength(2);
    for (const { leave } of listeners) leave();
  });

  it("all read their lists anew when the next one knows no event to go on from", async () => {
    const locks = createLocks();
    const [one, other, third] = [openPage(locks), openPage(locks), openPage(locks)];
    const listeners = [one, other, third].map(({ follow: followIt }) => listen(followIt));
    await expect.poll(() => listeners.map(({ told }) => told)).toEqual([["reload"], ["reload"], ["reload"]]);
    one.show(false);
    await expect.poll(() => listeners[2]?.told).toEqual(["reload", "reload"]);
    expect(listeners[1]?.told).toEqual(["reload", "reload"]);
    for (const { leave } of listeners) leave();
  });

  it("have a connection each over plain http, where browsers have no locks, as long as they are shown", async () => {
    const [one, other] = [openPage(), openPage()];
    const listeners = [listen(one.follow), listen(other.follow)];
    await expect.poll(() => listeners.map(({ told }) => told)).toEqual([["reload"], ["reload"]]);
    expect(requests).toHaveLength(2);
    one.show(false);
    await expect.poll(() => open.filter((response) => response.destroyed || response.closed)).toHaveLength(1);
    for (const { leave } of listeners) leave();
  });
});

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EventSource as ServerSideEventSource } from "undici";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFollow } from "./live.ts";

const organizationId = "0198a5c2-0000-7000-8000-000000000001";
let open: ServerResponse[];
let requests: { url: string | undefined; lastEventId: unknown }[];
let answerStatus: number;
let follow: ReturnType<typeof createFollow>;

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
  follow = createFollow((address) => new ServerSideEventSource(base + address) as unknown as EventSource);
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const send = (id: number, kind: string, data: object) => open.at(-1)?.write(`id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);

function listen() {
  const told: string[] = [];
  const leave = follow(organizationId, (event) => told.push(event.kind === "reload" ? "reload" : `${event.kind} ${event.data.id}`));
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

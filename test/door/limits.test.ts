import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTracing } from "../../src/base/tracing.ts";
import { createDoor } from "../../src/door/create-door.ts";
import { createMetrics } from "../../src/door/metrics.ts";
import { createTurns } from "../../src/door/turns.ts";
import { expectProblem, readRawAnswer } from "../support/expect-problem.ts";

const limits = { requestMs: 1500, drainMs: 1000, drainBytes: 8 * 1024 * 1024 };
const door = createDoor({
  name: "platform" as const,
  baseUrl: "http://localhost",
  trustedProxies: [],
  limits,
  log: pino({ level: "silent" }),
  metrics: createMetrics(),
  tracing: createTracing(),
  turns: createTurns(),
  metricsToken: undefined,
  isDatabaseReachable: async () => true,
  isStopping: () => false,
});
let port: number;
let answered = 0;

beforeAll(async () => {
  const answer = () => {
    answered += 1;
    return "ok";
  };
  door.post("/things", { config: { access: "public" } }, answer);
  // As where a key is looked up first: by then the body has filled what there is to hold it.
  door.post("/guarded-things", { config: { access: "public" }, onRequest: () => delay(200) }, answer);
  await door.listen({ port: 0, host: "127.0.0.1" });
  port = (door.server.address() as { port: number }).port;
});
afterAll(() => door.close());

async function open(): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect({ port, host: "127.0.0.1" }), { received: "" });
  socket.on("data", (chunk) => {
    socket.received += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const head = (length: number | "chunked", more = "", path = "/things") => {
  const framing = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n${more}\r\n`;
};

/** Sends it all before it reads anything, as simple clients do; false when the connection broke meanwhile. */
async function sendFirst(socket: Socket, pieces: Iterable<string>): Promise<boolean> {
  socket.pause();
  for (const piece of pieces) {
    if (socket.destroyed) return false;
    const isTaken = await new Promise<boolean>((resolve) => socket.write(piece, (error) => resolve(!error)));
    if (!isTaken) return false;
    await delay(1);
  }
  return true;
}

const piece = "a".repeat(64 * 1024);
const pieces = (count: number, form: (text: string) => string = (text) => text) =>
  Array.from({ length: count }, () => form(piece));
const asChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

describe("a body that is too large", () => {
  it.each([
    ["announces its length", [head(100 * piece.length), ...pieces(100)]],
    ["announces its length and asks to close", [head(100 * piece.length, "Connection: close\r\n"), ...pieces(100)]],
    ["comes in chunks", [head("chunked"), ...pieces(100, asChunk), "0\r\n\r\n"]],
    [
      "announces its length and the caller is looked up first",
      [head(100 * piece.length, "", "/guarded-things"), ...pieces(100)],
    ],
    [
      "comes in chunks and the caller is looked up first",
      [head("chunked", "", "/guarded-things"), ...pieces(100, asChunk), "0\r\n\r\n"],
    ],
  ])("is answered to a client that sends all of it before it reads, when it %s", async (_name, sent) => {
    const socket = await open();
    expect(await sendFirst(socket, sent)).toBe(true);
    const ended = once(socket, "end");
    socket.resume();
    await Promise.race([ended, delay(3000)]);
    expectProblem(readRawAnswer(socket.received), { status: 413, code: "body_too_large" });
    expect(socket.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    socket.destroy();
  });

  it("is read no further than so many bytes, and no longer than so long", async () => {
    const endless = await open();
    expect(await sendFirst(endless, [head(1e12), ...pieces(1000)])).toBe(false);
    const idle = await open();
    idle.write(head(1e12));
    const startedAt = performance.now();
    await once(idle, "close");
    expect(performance.now() - startedAt).toBeLessThan(10 * limits.drainMs);
    expectProblem(readRawAnswer(idle.received), { status: 413, code: "body_too_large" });
  });

  it("has nothing behind it that is taken for a request", async () => {
    const socket = await open();
    const before = answered;
    await sendFirst(socket, [head(2 * piece.length), ...pieces(2), `${head(2)}{}`]);
    socket.resume();
    await once(socket, "end");
    expect([answered, socket.received.match(/HTTP\/1\.1 \d+/g)]).toEqual([before, ["HTTP/1.1 413"]]);
    socket.destroy();
  });
});

describe("a request that does not arrive", () => {
  it.each([
    ["sends nothing", ""],
    ["sends its headers slowly", "GET /things HTTP/1.1\r\nHost: localhost\r\nX-A: "],
    ["sends its body slowly", `${head(1000)}{`],
  ])("is ended in time when it %s", async (_name, beginning) => {
    const socket = await open();
    if (beginning !== "") socket.write(beginning);
    const dribble = setInterval(() => beginning !== "" && socket.write("a"), 200);
    const startedAt = performance.now();
    await once(socket, "close").finally(() => clearInterval(dribble));
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(limits.requestMs - 100);
    // Connections are looked through every second.
    expect(tookMs).toBeLessThan(limits.requestMs + 5000);
    expectProblem(readRawAnswer(socket.received), { status: 408, code: "request_timeout" });
  });
});

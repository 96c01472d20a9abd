import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest } from "../support/raw-request.ts";
import { roundsLimitMs, roundsOf } from "../support/rounds.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
const doors = ["platform", "gateway"] as const;
type Door = (typeof doors)[number];

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const urlOf = (door: Door) => (door === "platform" ? app.platformUrl : app.gatewayUrl);
/** Somebody between client and server might take this for a request of its own; it would be answered with 200. */
const smuggled = "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Smuggled: yes\r\n\r\n";
const post = "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

async function statusesOf(door: Door, bytes: string): Promise<string[]> {
  const answer = await rawRequest(urlOf(door), Buffer.from(bytes, "latin1"));
  return [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status as string);
}

/** Answered with one refusal at most, and nothing behind it is read. */
async function expectRefused(door: Door, bytes: string): Promise<void> {
  const statuses = await statusesOf(door, bytes);
  expect(statuses.length, JSON.stringify(statuses)).toBeLessThanOrEqual(1);
  for (const status of statuses) expect(["400", "413", "431"]).toContain(status);
}

describe.each(doors)("at the %s", (door) => {
  it.each([
    ["both kinds of length", `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ["both kinds, the chunks first", `Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n${smuggled}`],
    ["both kinds in unusual letters", `tRANSFER-eNCODING: cHUNKED\r\nContent-Length: 0\r\n\r\n0\r\n\r\n${smuggled}`],
    ["an encoding nobody knows", `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ["an encoding that is not the last", `Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n${smuggled}`],
    ["two encodings", `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`],
    ["a space before the colon", `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ["a control character before the encoding", `Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ["a folded header", `X-A: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`],
    [
      "a header on the line of another",
      `X-A: a\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    ["lines that end with a bare LF", `X-A: a\nContent-Length: 5\n\n0\n\n${smuggled}`],
    ["two lengths", `Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`],
    ["two lengths in one line", `Content-Length: 0, ${smuggled.length}\r\n\r\n${smuggled}`],
    ["a negative length", `Content-Length: -1\r\n\r\n${smuggled}`],
    ["a signed length", `Content-Length: +0\r\n\r\n${smuggled}`],
    ["a hexadecimal length", `Content-Length: 0x10\r\n\r\n${smuggled}`],
    ["an empty length", `Content-Length: \r\n\r\n${smuggled}`],
    ["a length no number holds", `Content-Length: 99999999999999999999999\r\n\r\n${smuggled}`],
    ["a length with a fraction", `Content-Length: 0.0\r\n\r\n${smuggled}`],
    ["a chunk of negative size", `Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${smuggled}`],
    ["a chunk with 0x", `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${smuggled}`],
    ["a chunk that no machine holds", `Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${smuggled}`],
    ["a chunk longer than it says", `Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n${smuggled}`],
    ["chunks that end with a bare LF", `Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n${smuggled}`],
    ["a chunk extension with a bare LF", `Transfer-Encoding: chunked\r\n\r\n0;a=\n\r\n\r\n${smuggled}`],
    ["a header without a name", `: a\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ["a header with a blank in its name", `Content Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n\x00`],
    ["a NUL in a header", `X-A: \0\r\nContent-Length: 0\r\n\r\n${smuggled}`],
  ])("refuses %s and reads nothing behind it", async (_, rest) => {
    await expectRefused(door, post + rest);
  });

  it.each(["x", smuggled, "\r\nx", "GET /nothing\r\n\r\n"])(
    "answers a request that closes its connection, and nothing behind it: %j",
    async (behind) => {
      const bytes = `GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n${behind}`;
      expect(await statusesOf(door, bytes)).toEqual(["200"]);
    },
  );

  it.each([
    ["no version", "GET /nothing\r\n\r\n"],
    ["a version of the future", "GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n"],
    ["a method in small letters", "get /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a blank in the address", "GET /livez /x HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a header where the request line should be", " GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["two hosts", "GET /nothing HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"],
    ["two hosts in one line", "GET /nothing HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n"],
    [
      "an address of someone else and another host",
      "GET http://localhost/nothing HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ],
  ])("refuses a request line with %s", async (_, bytes) => {
    const [status = "400", ...others] = await statusesOf(door, bytes + smuggled);
    expect(["400", "403", "404"]).toContain(status);
    expect(others.filter((one) => one === "200").length).toBeLessThanOrEqual(bytes.includes("nothing") ? 1 : 0);
  });

  it("takes what a body holds for a body, whatever it looks like", async () => {
    const length = `Content-Length: ${smuggled.length}\r\n`;
    for (const method of ["GET", "HEAD", "DELETE", "OPTIONS", "POST"])
      expect(
        await statusesOf(
          door,
          `${method} /nothing HTTP/1.1\r\nHost: localhost\r\n${length}Connection: close\r\n\r\n${smuggled}`,
        ),
      ).toHaveLength(1);
    const size = smuggled.length.toString(16);
    expect(
      await statusesOf(
        door,
        `${post}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${size};a="b"\r\n${smuggled}\r\n0\r\nHost: evil\r\n\r\n`,
      ),
    ).toHaveLength(1);
  });

  it("answers requests on one connection in their order, and stops at the first that is none", async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    expect(await statusesOf(door, one("/livez") + one("/nothing") + one("/livez"))).toEqual(["200", "404", "200"]);
    expect(
      (await statusesOf(door, `${one("/livez")}nonsense\r\n\r\n${smuggled}`)).filter((status) => status === "200")
        .length,
    ).toBeLessThanOrEqual(1);
  });

  it("changes to no other protocol", async () => {
    const head = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings, close\r\n";
    for (const upgrade of [
      "h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
      "websocket\r\nSec-WebSocket-Key: AAAA",
      "TLS/1.0",
    ])
      expect(await statusesOf(door, `${head}Upgrade: ${upgrade}\r\n\r\n`)).toEqual(["200"]);
    const answer = await rawRequest(urlOf(door), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("repeats nothing of a TRACE and opens no tunnel", async () => {
    const trace = await rawRequest(
      urlOf(door),
      "TRACE /livez HTTP/1.1\r\nHost: localhost\r\nX-Secret: canary\r\nConnection: close\r\n\r\n",
    );
    expect(trace).toMatch(/^HTTP\/1\.1 405 /);
    expect(trace).not.toContain("canary");
    const tunnel = await rawRequest(urlOf(door), `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: localhost\r\n\r\n${smuggled}`);
    expect([...tunnel.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["405"]);
  });

  it(
    "answers others while hundreds of connections hold what they began, and ends those at last",
    async () => {
      const beginnings = [
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: ",
        `${post}Content-Length: 1000\r\n\r\n{`,
        `${post}Transfer-Encoding: chunked\r\n\r\nff\r\n{`,
        "",
      ];
      const sockets = await Promise.all(
        Array.from({ length: roundsOf(80, 800) }, (_, index) =>
          begin(door, beginnings[index % beginnings.length] ?? ""),
        ),
      );
      try {
        const dribble = setInterval(() => {
          for (const socket of sockets) socket.write("a");
        }, 1000);
        try {
          for (let times = 0; times < 20; times++) expect((await fetch(`${urlOf(door)}/livez`)).status).toBe(200);
          const ended = sockets.slice(0, 3).map(async (socket) => socket.closed || (await once(socket, "close")));
          // A request may take a minute, and connections are looked through every half minute.
          if (roundsOf(0, 1)) await Promise.all(ended);
        } finally {
          clearInterval(dribble);
        }
      } finally {
        for (const socket of sockets) socket.resetAndDestroy();
      }
      expect((await fetch(`${urlOf(door)}/livez`)).status).toBe(200);
    },
    roundsLimitMs,
  );

  it("survives callers that leave in the middle of anything", async () => {
    const whole = `${post}Content-Length: 10\r\n\r\n0123456789`;
    for (let length = 1; length < whole.length; length += roundsOf(9, 1)) {
      const socket = await begin(door, whole.slice(0, length));
      if (length % 2 === 0) socket.end();
      else socket.resetAndDestroy();
      if (!socket.closed) await Promise.race([once(socket, "close"), once(socket, "end")]);
      socket.destroy();
    }
    expect(await statusesOf(door, smuggled)).toEqual(["200"]);
    expect(app.logLines.join("")).not.toContain("unexpected failure");
  });
});

async function begin(door: Door, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(urlOf(door));
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {}).resume();
  await once(socket, "connect");
  if (bytes !== "") await new Promise((resolve) => socket.write(bytes, resolve));
  return socket;
}

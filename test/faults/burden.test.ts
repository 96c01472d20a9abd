import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import type { Browser } from "../support/browser-client.ts";
import { callWith, codeIn, issueRequest } from "../support/gateway/gateway-pair.ts";
import { createMcpClient, modernHeaders, modernMeta } from "../support/gateway/mcp-client.ts";
import { roundsOf } from "../support/rounds.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { invariant } from "./invariant.ts";
import { startYard, type Team, type Yard } from "./yard.ts";

const memoryLimitMegabytes = 500;
// The promise is 100 ms; a few seconds beside other tests say less.
const lagLimitMs = roundsOf(500, 100);
const idleSockets = roundsOf(500, 10_000);
let yard: Yard;
let gateway: SpawnedServer;
let platform: SpawnedServer;

beforeAll(async () => {
  yard = await startYard({ members: ["gateway", "platform"] });
  [gateway, platform] = [yard.of("gateway")[0], yard.of("platform")[0]] as [SpawnedServer, SpawnedServer];
}, 300_000);
afterAll(() => yard?.stop(), 120_000);

/** A connection on which nothing is ever read. */
function openUnread(port: number, text = ""): Socket {
  const socket = connect(port, "localhost").pause();
  socket.on("error", () => {});
  if (text) socket.write(text);
  return socket;
}

/** Not more at a time than the system lets wait at a door. */
async function openIdle(count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const opened = Array.from({ length: Math.min(100, count - sockets.length) }, () =>
      openUnread(gateway.ports.gateway),
    );
    await Promise.all(opened.map((socket) => once(socket, "connect")));
    sockets.push(...opened);
  }
  return sockets;
}

const headLines = (headers: Record<string, unknown>) =>
  Object.entries({ host: "localhost", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

/** Asks for progress and for an answer, and reads neither. */
async function leaveUnread(team: Team): Promise<void> {
  const params = { name: "system_wait", arguments: { seconds: 0.1 }, _meta: { ...modernMeta, progressToken: 1 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = {
    ...modernHeaders("tools/call", params.name),
    "x-api-key": team.key.key,
    accept: "application/json, text/event-stream",
  };
  const head = headLines({ "content-type": "application/json", "content-length": body.length, ...headers });
  const socket = openUnread(gateway.ports.gateway, `POST /system/mcp HTTP/1.1\r\n${head}\r\n${body}`);
  await delay(500);
  socket.destroy();
}

/** Follows the live view of an organization and reads nothing of it. */
function followUnread({ cookies }: Browser, { organizationId }: Team): Socket {
  const head = headLines({ cookie: [...cookies].map((pair) => pair.join("=")).join("; ") });
  return openUnread(platform.ports.platform, `GET /api/organizations/${organizationId}/events HTTP/1.1\r\n${head}\r\n`);
}

/** Every way to be a burden, each with what must be answered. */
function attacksOf(team: Team): { name: string; times: number; send: () => Promise<string>; wanted: string }[] {
  const client = createMcpClient(gateway.gatewayUrl, { "x-api-key": team.key.key });
  const large = issueRequest("large", team);
  Object.assign(large.body.params.arguments, { title: "x".repeat(10 * 1024 * 1024 - 2_000), body: 5 });
  const [text, deep] = [JSON.stringify(large.body), "[".repeat(1_000_000)];
  const post = async (body: string) => {
    const answer = await client.post("github", body, large.headers);
    return `${answer.status} ${codeIn(answer)}`;
  };
  // Whoever sends too much may find the door closed before the answer can be read.
  const postTooLarge = () => post(`${text}${" ".repeat(4_000)}`).catch(() => "413 body_too_large");
  return [
    { name: "large", times: 1, send: () => post(text), wanted: "200 validation_failed" },
    { name: "too large", times: 1, send: postTooLarge, wanted: "413 body_too_large" },
    { name: "deep", times: 1, send: async () => (await post(deep)).slice(0, 3), wanted: "400" },
    {
      name: "huge answer",
      times: 2,
      send: async () => `${codeIn(await callWith("huge", gateway, team))}`,
      wanted: "outbound_refused",
    },
    { name: "unread", times: 20, send: async () => `${await leaveUnread(team)}`, wanted: "undefined" },
  ];
}

/** In MB, of the whole life of the process. */
const peakMemoryOf = ({ pid }: SpawnedServer) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

async function findExcess(name: string, server: SpawnedServer, url: string): Promise<string[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const lagMs = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1]) * 1000;
  const peak = peakMemoryOf(server);
  return [
    ...(peak < memoryLimitMegabytes ? [] : [`the ${name} needed ${Math.round(peak)} MB`]),
    ...(lagMs < lagLimitMs ? [] : [`the event loop of the ${name} was ${Math.round(lagMs)} ms late`]),
  ];
}

invariant("V26", {
  promise:
    "memory and event loop stay within bounds, and others are answered, for these seconds in which one organization does its worst",
  rounds: { quick: 3, full: 60 },
  planted: "the gateway stands still again and again",
  async check({ rounds: seconds, isPlanted }) {
    const [attackers, others] = [await yard.createTeam("attackers"), await yard.createTeam("others")];
    const { browsers } = await yard.signUp("Mallory", attackers.organizationId, "owner");
    const violations = new Set<string>();
    const seen = new Map<string, number>();
    const open = [
      ...(await openIdle(idleSockets)),
      ...Array.from({ length: 20 }, () => followUnread(browsers[0], attackers)),
    ];
    const until = performance.now() + seconds * 1_000;
    const repeat = async (name: string, send: () => Promise<string>, wanted: string) => {
      while (performance.now() < until) {
        const said = await send();
        if (said !== wanted) violations.add(`${name} was answered with ${said}`);
        seen.set(name, (seen.get(name) ?? 0) + 1);
      }
    };
    const other = createMcpClient(gateway.gatewayUrl, { "x-api-key": others.key.key });
    const callAsOther = async () => {
      await delay(10);
      return String((await other.modern("system", "tools/call", { name: "system_date_time", arguments: {} })).status);
    };
    const standStill = async () => {
      gateway.child.kill("SIGSTOP");
      await delay(600);
      gateway.child.kill("SIGCONT");
      await delay(50);
      return "";
    };
    await Promise.all([
      repeat("another organization", callAsOther, "200"),
      ...attacksOf(attackers).flatMap(({ name, times, send, wanted }) =>
        Array.from({ length: times }, () => repeat(name, send, wanted)),
      ),
      ...(isPlanted ? [repeat("standing still", standStill, "")] : []),
    ]);
    const idle = open.filter((socket) => !socket.destroyed).length;
    for (const socket of open) socket.destroy();
    if (idle < idleSockets) violations.add(`only ${idle} idle connections stayed open`);
    if (seen.size < 6) violations.add(`only these happened at all: ${[...seen.keys()]}`);
    return [
      ...violations,
      ...(await findExcess("gateway", gateway, gateway.gatewayUrl)),
      ...(await findExcess("platform", platform, platform.platformUrl)),
    ];
  },
});

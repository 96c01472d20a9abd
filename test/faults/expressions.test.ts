import { readFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { createMcpClient, type McpClient } from "../support/gateway/mcp-client.ts";
import { cloneBindings, evaluateByCall, forgedData, hostilePieces, probes } from "../support/hostile-expressions.ts";
import { listProcesses, listTree } from "../support/processes.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { startYard, type Yard } from "./yard.ts";

let yard: Yard;
let server: SpawnedServer;
let clients: { one: McpClient; other: McpClient };

beforeAll(async () => {
  yard = await startYard({ members: [] });
  ({ server } = await yard.add("gateway"));
  const [one, other] = [await yard.createTeam("one"), await yard.createTeam("other")];
  const connect = (key: string) => createMcpClient(server.gatewayUrl, { "x-api-key": key });
  clients = { one: connect(one.key.key), other: connect(other.key.key) };
}, 90_000);
afterAll(() => yard?.stop());

/** Uses so much processor time that the process in which it is evaluated stands out. */
const heavy = "$count($map([1..15000], function($n){ $n * 2 }))";
const leastTicks = 5;

/** The processor time of each process for expressions, by its number. */
function readTicks(): Map<number, number> {
  const processes = listProcesses();
  const own = new Set(listTree(server.pid, processes));
  const evaluators = processes.filter(({ pid, command }) => own.has(pid) && command.includes("expression-process"));
  return new Map(evaluators.flatMap(({ pid }) => readTicksOf(pid)));
}

function readTicksOf(pid: number): [number, number][] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return [[pid, Number(fields[11]) + Number(fields[12])]];
  } catch {
    return [];
  }
}

/** The processes that worked while only this organization asked. */
async function findEvaluators(client: McpClient): Promise<number[]> {
  await evaluateByCall(client, "$map([1], function($n){ $n })");
  const before = readTicks();
  await evaluateByCall(client, heavy);
  return [...readTicks()]
    .filter(([pid, ticks]) => before.has(pid) && ticks - (before.get(pid) ?? 0) >= leastTicks)
    .map(([pid]) => pid);
}

const invent = (random: Random): string => {
  const pieces = Array.from({ length: 1 + random.below(4) }, () => random.pick(hostilePieces));
  const binds = [
    ...Object.values(cloneBindings),
    (work: string) => `(${work})`,
    (work: string) => `($f := $uppercase ~> $trim; ${work})`,
  ];
  return random.pick(binds)(pieces.join("; "));
};

async function probe(name: string, client: McpClient): Promise<string[]> {
  const said = await Promise.all(
    probes.map(async ([expression]) => JSON.stringify(await evaluateByCall(client, expression))),
  );
  return probes.flatMap(([expression, value], index) =>
    said[index] === JSON.stringify(value) ? [] : [`${name}: ${expression} is ${said[index]}`],
  );
}

invariant("V31", {
  promise:
    "no realm that evaluated one organization's expression evaluates another's, and nothing survives an evaluation",
  rounds: { quick: 8, full: 500 },
  planted: "the attacker evaluates in the name of the other organization too",
  async check({ rounds, random, isPlanted }) {
    const violations: string[] = [];
    const used = { one: new Set<number>(), other: new Set<number>() };
    for (let round = 0; round < rounds; round++) {
      violations.push(...(await attack(random, `secret-${round}-`)));
      violations.push(
        ...(await probe("the other organization", clients.other)),
        ...(await probe("the attacker", clients.one)),
      );
      for (const pid of await findEvaluators(isPlanted ? clients.other : clients.one)) used.one.add(pid);
      for (const pid of await findEvaluators(clients.other)) used.other.add(pid);
      if (random.below(4) === 0) await evaluateByCall(clients.one, `$length($pad("x", 500000000))`);
    }
    if (used.one.size === 0 || used.other.size === 0) violations.push("no process for expressions was seen at work");
    const shared = [...used.one].filter((pid) => used.other.has(pid));
    return [...violations, ...shared.map((pid) => `process ${pid} evaluated for both`)];
  },
});

/** Hostile expressions of one organization, while the other evaluates something secret. */
async function attack(random: Random, mark: string): Promise<string[]> {
  const text = `${mark}${random.below(1e9)}`;
  const attacks = Array.from({ length: 1 + random.below(4) }, () =>
    evaluateByCall(clients.one, invent(random), forgedData),
  );
  const value = await evaluateByCall(clients.other, "$map([text], function($t){ $uppercase($t) })", { text });
  const seen = JSON.stringify(await Promise.all(attacks)).toLowerCase();
  return [
    ...(value === text.toUpperCase() ? [] : [`the other organization got ${JSON.stringify(value)}`]),
    ...(seen.includes(mark) ? ["the attacker saw a value of the other organization"] : []),
  ];
}

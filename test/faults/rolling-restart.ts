import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { callWith, codeIn, readIssueRecords, saidIn } from "../support/gateway/gateway-pair.ts";
import { roundsOf } from "../support/rounds.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import type { Trial } from "./invariant.ts";
import { requestRun } from "./request-run.ts";
import { type Member, nodesOfRun, type Role, type Team, type Yard } from "./yard.ts";

const stopLimitMs = 30_000;
const runsLimitMs = 60_000;

/** Restarts one process of each role, then the other ones, while clients call tools and ask for runs. */
export async function checkRollingRestart(yard: Yard, { rounds, random, isPlanted }: Trial): Promise<string[]> {
  yard.provider.forget();
  yard.provider.takeTime(20);
  const [callers, runners] = await Promise.all([yard.createTeam("callers"), yard.createTeam("runners")]);
  const balancer = startBalancer(yard);
  const calls = startCalls(balancer, callers);
  const runs = startRuns(balancer, runners);
  const violations: string[] = [];
  const restart = async (member: Member, signal: "SIGTERM" | "SIGKILL") => {
    await delay(random.below(300));
    const toldAt = performance.now();
    const elapsed = member.server.ended.then(() => Math.round(performance.now() - toldAt));
    const { code } = await yard.restart(member, signal);
    if (code !== 0 || (await elapsed) > stopLimitMs)
      violations.push(`a ${member.role} ended with ${code} after ${await elapsed} ms`);
  };
  try {
    for (let round = 0; round < rounds; round++)
      for (const half of [0, 1]) {
        const leaving = yard.members.filter((_, index) => index % 2 === half);
        await Promise.all(
          leaving.map((member, index) => restart(member, isPlanted && index === 0 ? "SIGKILL" : "SIGTERM")),
        );
        await delay(200);
      }
  } finally {
    await Promise.all([calls.stop(), runs.stop()]);
    await balancer.stop();
  }
  return [...violations, ...(await calls.judge(yard)), ...(await runs.judge(yard))];
}

type Balancer = ReturnType<typeof startBalancer>;

/** Asks who is ready and tries another one when nobody listens; whatever else goes wrong reaches the client. */
function startBalancer(yard: Yard) {
  const doors = yard.members.filter(({ role }) => role !== "worker");
  const ready = new Map<Member, boolean>();
  let isOver = false;
  const probe = async (member: Member) => {
    for (; !isOver; await delay(100)) ready.set(member, await isReady(member));
  };
  const probes = doors.map(probe);
  return {
    async send<Answer>(role: Role, turn: number, ask: (server: SpawnedServer) => Promise<Answer>): Promise<Answer> {
      const members = doors.filter((member) => member.role === role);
      for (let next = turn; ; next++) {
        const { server } = (members.find((member) => ready.get(member) && members.indexOf(member) === next % 2) ??
          members.find((member) => ready.get(member)) ??
          members[next % 2]) as Member;
        try {
          return await ask(server);
        } catch (error) {
          const { code } = ((error as Error).cause ?? {}) as { code?: string };
          if (code !== "ECONNREFUSED") throw error;
          await delay(5);
        }
      }
    },
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(probes);
    },
  };
}

export async function isReady({ role, server }: Member): Promise<boolean> {
  const url = role === "gateway" ? server.gatewayUrl : server.platformUrl;
  return (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
}

const reasonOf = (error: unknown): string => String((error as Error).cause ?? error);

function startLoops(count: number, ask: (turn: number) => Promise<void>) {
  const failures: string[] = [];
  let isOver = false;
  const loop = async (first: number) => {
    for (let turn = first; !isOver; turn++)
      await ask(turn).catch((error: unknown) => void failures.push(reasonOf(error)));
  };
  const loops = Array.from({ length: count }, (_, index) => loop(index));
  const stop = async () => {
    isOver = true;
    await Promise.all(loops);
  };
  return { failures, stop };
}

// A machine with too much to do may refuse because its database is slow, which is not the stop.
const isOverload = (code: string | undefined) => code === "database_unavailable";

function startCalls(balancer: Balancer, team: Team) {
  const answers = new Map<string, string>();
  const unsure = new Set<string>();
  const { failures, stop } = startLoops(8, async (turn) => {
    const nonce = randomUUID();
    const answer = await balancer.send("gateway", turn, (gateway) => callWith(nonce, gateway, team));
    if (isOverload(codeIn(answer))) unsure.add(nonce);
    else answers.set(nonce, saidIn(answer).title ?? answer.text);
  });
  return {
    stop,
    async judge(yard: Yard): Promise<string[]> {
      const records = (await readIssueRecords({ database: yard }, team)).filter(({ asked }) => !unsure.has(asked));
      const recorded = new Set(records.map(({ asked }) => asked));
      return [
        ...failures.map((failure) => `a call failed: ${failure}`),
        ...[...answers].flatMap(([nonce, said]) => (said === nonce ? [] : [`a call was answered: ${said}`])),
        ...[...answers.keys()].flatMap((nonce) =>
          recorded.has(nonce) ? [] : [`${nonce} was answered and not recorded`],
        ),
        ...records.flatMap(({ asked, status }) => (status === "success" ? [] : [`${asked} was recorded as ${status}`])),
        ...(records.length === answers.size ? [] : [`${records.length} records of ${answers.size} calls`]),
        ...(answers.size > 50 ? [] : [`only ${answers.size} calls were made`]),
      ];
    },
  };
}

function startRuns(balancer: Balancer, team: Team) {
  const accepted = new Map<string, string>();
  const { failures, stop } = startLoops(2, async (turn) => {
    const nonce = randomUUID();
    const { status, id, code } = await balancer.send("platform", turn, (platform) => requestRun(platform, team, nonce));
    if (status === 202) accepted.set(id, nonce);
    else if (!isOverload(code)) throw new Error(`${status} ${code}`);
    await delay(150);
  });
  return {
    stop,
    async judge(yard: Yard): Promise<string[]> {
      const statusOf = await whenEnded(yard, [...accepted.keys()], runsLimitMs);
      const times = Map.groupBy(yard.provider.requests, ({ title }) => title);
      const titles = [...accepted.values()].flatMap((nonce) => nodesOfRun.map((node) => `${nonce} ${node}`));
      return [
        ...failures.map((failure) => `a request for a run failed: ${failure}`),
        ...[...accepted.keys()].flatMap((id) =>
          statusOf.get(id) === "succeeded" ? [] : [`run ${id} is ${statusOf.get(id)}`],
        ),
        ...titles.flatMap((title) =>
          times.get(title)?.length === 1 ? [] : [`${title} was executed ${times.get(title)?.length ?? 0} times`],
        ),
        ...(accepted.size > 5 ? [] : [`only ${accepted.size} runs were accepted`]),
      ];
    },
  };
}

/** How each of the runs stands, once all have ended or the time is up. */
export async function whenEnded(yard: Yard, ids: string[], limitMs: number): Promise<Map<string, string>> {
  for (const untilMs = performance.now() + limitMs; ; await delay(100)) {
    const rows = await yard.query<{ id: string; status: string }>(
      "SELECT id, status FROM run WHERE id = ANY ($1::uuid[])",
      [ids],
    );
    const open = rows.filter(({ status }) => !["succeeded", "failed", "cancelled"].includes(status));
    if (open.length === 0 || performance.now() > untilMs) return new Map(rows.map(({ id, status }) => [id, status]));
  }
}

/** A gateway that is told to stop finishes what runs and what waits there, and keeps its slots however long that takes. */
export async function checkDraining(yard: Yard, slots: number): Promise<string[]> {
  const { provider } = yard;
  const team = await yard.createTeam("leaving");
  const [leaving, staying] = yard.members.filter(({ role }) => role === "gateway") as [Member, Member];
  provider.forget();
  const release = provider.hold();
  const calls = Array.from({ length: 10 }, (_, index) => callWith(`last ${index}`, leaving.server, team));
  await provider.whenRunning(slots, 10_000);
  const { child } = leaving.server;
  const restarted = yard.restart(leaving, "SIGTERM");
  while (await isReady(leaving)) await delay(10);
  const others = [0, 1].map((index) => callWith(`other ${index}`, staying.server, team));
  // In the long form longer than the lease of a slot.
  await delay(roundsOf(200, 12_000));
  const isGone = child.exitCode !== null;
  release();
  const answers = await Promise.all([...calls, ...others]);
  const { code } = await restarted;
  return [
    ...(isGone ? ["a gateway ended before its calls did"] : []),
    ...(provider.seen.most > slots ? [`${provider.seen.most} calls at once beside a gateway that leaves`] : []),
    ...answers.flatMap((answer) =>
      saidIn(answer).title === saidIn(answer).id ? [] : [`a call of a leaving gateway: ${answer.text}`],
    ),
    ...(code === 0 ? [] : [`a leaving gateway ended with ${code}`]),
  ];
}

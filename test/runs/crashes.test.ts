import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { roundsOf } from "../support/rounds.ts";
import { type RunPair, startRunPair } from "../support/runs/run-pair.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";

const testLimitMs = roundsOf(120_000, 3_600_000);
const takeoverLimitMs = 60_000;
let pair: RunPair;

beforeAll(async () => {
  pair = await startRunPair();
}, 120_000);
afterAll(() => pair?.stop(), 60_000);
beforeEach(() => {
  pair.provider.forget();
  pair.provider.takeTime(80);
});

const serverAt = (index: number) => pair.servers[index % 2] as SpawnedServer;

/** Asks for runs, one after the other and now and then one that is refused, until it has enough and is told to stop. */
function startRuns(count: number, pauseMs: number) {
  const accepted = new Map<string, string>();
  const refused: string[] = [];
  const others: number[] = [];
  let isStopped = false;
  const note = (
    { status, body }: { status: number; body: { id: string } },
    { nonce, isWrong }: { nonce: string; isWrong: boolean },
  ) => {
    if (status === 202) accepted.set(body.id, nonce);
    else if (status === 400 && isWrong) refused.push(nonce);
    else others.push(status);
  };
  const loop = async (index: number) => {
    for (let turn = index; accepted.size < count || !isStopped; turn++) {
      const nonce = pair.nonce();
      const isWrong = Math.random() < 0.1;
      const nodes = isWrong ? [{ id: "nobody" }] : [];
      const answer = await pair.trigger(serverAt(turn), { runtimePrompt: nonce, nodes });
      if (answer) note(answer, { nonce, isWrong });
      await delay(Math.random() * pauseMs);
    }
  };
  const loops = Array.from({ length: 4 }, (_, index) => loop(index));
  const stop = async (): Promise<void> => {
    isStopped = true;
    await Promise.all(loops);
  };
  return { accepted, refused, others, stop };
}

const timesOf = (title: string) =>
  pair.provider.requests.filter((request) => request.title === title).map(({ at }) => at);
/** Whether between each execution and the next a process was killed: one kill repeats a node once at most. */
const isExplained = (times: number[], killedAt: number[]) =>
  times.slice(1).every((time, index) => killedAt.some((at) => at > (times[index] ?? 0) && at < time));
const titlesOf = (nonces: Iterable<string>) =>
  [...nonces].flatMap((nonce) => pair.nodeIds.map((id) => `${nonce} ${id}`));

describe("two servers on one database", () => {
  it(
    "bring every accepted run to its end when one of them is killed, and repeat no node that was stored as finished",
    async () => {
      const kills = roundsOf(2, 10);
      const runs = startRuns(roundsOf(40, 200), 600);
      const finished: { at: number; titles: string[] }[] = [];
      let lastKillAt = 0;
      const killedAt: number[] = [];
      for (let kill = 0; kill < kills; kill++) {
        const before = pair.provider.requests.length;
        await expect
          .poll(() => pair.provider.requests.length, { timeout: 60_000, interval: 10 })
          .toBeGreaterThan(before + 5);
        await delay(Math.random() * 500);
        const victim = serverAt(kill);
        await victim.kill();
        lastKillAt = performance.now();
        killedAt.push(lastKillAt);
        finished.push({ titles: await pair.listFinished(), at: lastKillAt });
        pair.servers[kill % 2] = await pair.start(victim.ports);
      }
      await runs.stop();
      const doneAt = performance.now();
      const statuses = await pair.statuses([...runs.accepted.keys()], takeoverLimitMs);
      expect(statuses).toEqual([...runs.accepted].map(() => "succeeded"));
      expect(performance.now() - Math.max(lastKillAt, doneAt)).toBeLessThan(takeoverLimitMs);

      for (const { at, titles } of finished)
        expect(titles.filter((title) => timesOf(title).some((time) => time > at))).toEqual([]);
      const counts = titlesOf(runs.accepted.values()).map((title) => timesOf(title).length);
      expect(Math.min(...counts)).toBe(1);
      expect(titlesOf(runs.accepted.values()).filter((title) => !isExplained(timesOf(title), killedAt))).toEqual([]);
      const repeated = counts.filter((count) => count > 1).length;
      // What one process had in flight when it was killed: its slots, two branches each.
      expect(repeated).toBeLessThanOrEqual(kills * 16);
      expect(titlesOf(runs.refused).flatMap(timesOf)).toEqual([]);
      expect(runs.others.filter((status) => status < 500)).toEqual([]);
      const figures = {
        runs: runs.accepted.size,
        refused: runs.refused.length,
        kills,
        repeated,
        most: Math.max(...counts),
        endedAfterMs: Math.round(performance.now() - lastKillAt),
      };
      process.stdout.write(`${JSON.stringify(figures)}\n`);
    },
    testLimitMs,
  );
});

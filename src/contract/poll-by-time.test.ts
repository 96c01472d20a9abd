import fc from "fast-check";
import { expect, it } from "vitest";
import { Refusal } from "../base/refusal.ts";
import type { PollPage } from "./poll.ts";
import { listByTime, type TimedPage } from "./poll-by-time.ts";

type Entry = { id: string; time: number; listedFrom?: number };

const minute = 60_000;
const begin = Date.parse("2026-01-01T00:00:00.000Z");

/** A service with pages of three, and what a trigger makes of it: which ids it has seen and which it took for new. */
function pollAgain(entries: Entry[], { mostListed = Number.POSITIVE_INFINITY, losesCursors = false } = {}) {
  const seen = new Set<string>();
  const taken: string[] = [];
  let mark: string | null = null;
  let requests = 0;

  async function readPage(now: number, since: Date | null, cursor: string | undefined): Promise<TimedPage> {
    requests++;
    if (losesCursors && cursor !== undefined && requests % 2 === 0)
      throw new Refusal("provider_error", "The cursor is not valid.", { provider: { status: 400, code: undefined } });
    const listed = entries.filter(
      ({ time, listedFrom = time }) => listedFrom <= now && (since === null || time >= since.getTime()),
    );
    const sorted = listed.sort((one, other) => (one.time - other.time) * (since === null ? -1 : 1));
    const offset = Number(cursor ?? 0);
    const items = sorted
      .slice(offset, offset + 3)
      .map(({ id, time }) => ({ id, payload: id, createdAt: new Date(time).toISOString() }));
    const isOver = offset + 3 >= sorted.length;
    const isCut = since !== null && !isOver && offset + 3 >= mostListed;
    return { items, next: isOver || isCut ? undefined : String(offset + 3), isCut };
  }

  async function look(now: number): Promise<PollPage[]> {
    const pages: PollPage[] = [];
    const isFirst = mark === null;
    do {
      const page = await listByTime(
        { mark, now: new Date(now) },
        { overlapMs: 10 * minute, readPage: (since, cursor) => readPage(now, since, cursor) },
      );
      for (const { id } of page.items) {
        if (!seen.has(id) && !isFirst) taken.push(id);
        seen.add(id);
      }
      mark = page.mark;
      pages.push(page);
    } while (pages.at(-1)?.hasMore && pages.length < 100);
    return pages;
  }
  return { look, taken };
}

const at = (minutes: number) => begin + minutes * minute;

it("takes nothing old at the first look, however much was made in the last minutes, and everything new after it", async () => {
  const old = Array.from({ length: 50 }, (_, number) => ({ id: `old ${number}`, time: at(-50 + number) }));
  const crowded = Array.from({ length: 20 }, (_, number) => ({ id: `crowd ${number}`, time: at(0) - number }));
  const fresh = Array.from({ length: 8 }, (_, number) => ({ id: `new ${number}`, time: at(1) }));
  const { look, taken } = pollAgain([...old, ...crowded, ...fresh]);
  await look(at(0));
  await look(at(1));
  await look(at(2));
  expect(taken.sort()).toEqual(fresh.map(({ id }) => id).sort());
});

it("does not take for new what a first look had no room for", async () => {
  const crowd = Array.from({ length: 100 }, (_, number) => ({ id: `crowd ${number}`, time: at(0) - number * 1000 }));
  const { look, taken } = pollAgain([...crowd, { id: "new", time: at(1) }]);
  await look(at(0));
  await look(at(1));
  expect(taken).toEqual(["new"]);
});

it("finds what is made at the very time at which the first look had no room for more", async () => {
  const crowd = Array.from({ length: 100 }, (_, number) => ({ id: `crowd ${number}`, time: at(0) }));
  const { look, taken } = pollAgain([...crowd, { id: "new", time: at(0), listedFrom: at(1) }]);
  await look(at(0));
  await look(at(1));
  expect(taken).toEqual(["new"]);
});

it("takes each new one once and none of those before, however many have the same few moments, wherever pages end", async () => {
  const moment = fc.nat({ max: 3 });
  await fc.assert(
    fc.asyncProperty(
      // Pages of three, and ten of them at a first look: most crowds are larger than that.
      fc.array(moment, { minLength: 25, maxLength: 110, size: "max" }),
      fc.array(fc.record({ moment, lateMinutes: fc.nat({ max: 9 }), look: fc.nat({ max: 4 }) }), { maxLength: 60 }),
      fc.constantFrom(1, 1000, minute),
      async (oldMoments, made, apart) => {
        const old = oldMoments.map((number, index) => ({ id: `old ${index}`, time: at(0) - (3 - number) * apart }));
        const newest = Math.max(at(0) - 3 * apart, ...old.map(({ time }) => time));
        const fresh = made.map(({ moment: number, lateMinutes, look: after }, index) => {
          const time = newest + number * apart + after * minute;
          return { id: `new ${index}`, time, listedFrom: Math.max(time, at(0) + 1) + lateMinutes * minute };
        });
        const { look, taken } = pollAgain([...old, ...fresh]);
        await look(at(0));
        for (let minutes = 1; minutes <= 30; minutes++) await look(at(minutes));
        expect(taken.toSorted()).toEqual(fresh.map(({ id }) => id).toSorted());
      },
    ),
    { numRuns: 150 },
  );
});

it("finds what is listed late, with a time before that of what was seen", async () => {
  const { look, taken } = pollAgain([
    { id: "old", time: at(-60) },
    { id: "late", time: at(1), listedFrom: at(9) },
    { id: "early", time: at(5) },
  ]);
  for (const minutes of [0, 6, 10]) await look(at(minutes));
  expect(taken).toEqual(["early", "late"]);
});

it("goes through all pages of a crowd that was made at the same moment", async () => {
  const crowd = Array.from({ length: 40 }, (_, number) => ({ id: `crowd ${number}`, time: at(1) }));
  const { look, taken } = pollAgain([{ id: "old", time: at(-60) }, ...crowd]);
  await look(at(0));
  expect(await look(at(2))).toHaveLength(14);
  expect(taken).toHaveLength(40);
});

it("begins a listing anew when its cursor has ended", async () => {
  const crowd = Array.from({ length: 7 }, (_, number) => ({ id: `crowd ${number}`, time: at(1) + number }));
  const { look, taken } = pollAgain([{ id: "old", time: at(-60) }, ...crowd], { losesCursors: true });
  await look(at(0));
  await look(at(2));
  for (const minutes of [3, 4, 5]) await look(at(minutes));
  expect(taken.length).toBeGreaterThanOrEqual(3);
  expect(new Set(taken).size).toBe(taken.length);
});

it("goes on behind the last one where a service lists no further", async () => {
  const crowd = Array.from({ length: 40 }, (_, number) => ({ id: `crowd ${number}`, time: at(1) + number }));
  const { look, taken } = pollAgain([{ id: "old", time: at(-60) }, ...crowd], { mostListed: 9 });
  await look(at(0));
  await look(at(2));
  expect(taken).toEqual(crowd.map(({ id }) => id));
});

it("is not led astray by a time ahead of now, nor by an empty list", async () => {
  const { look, taken } = pollAgain([
    { id: "ahead", time: at(600), listedFrom: at(1) },
    { id: "new", time: at(20) },
  ]);
  for (const minutes of [0, 1, 2, 21]) await look(at(minutes));
  expect(taken).toEqual(["ahead", "new"]);
});

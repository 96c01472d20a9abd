import { describe, expect, it } from "vitest";
import { describePause, listPauses, pauseBetweenReads } from "./pauses.ts";

describe("a pause between two looks", () => {
  it.each([
    [30, "30 seconds"],
    [60, "1 minute"],
    [90, "1 minute 30 seconds"],
    [3600, "1 hour"],
    [5400, "1 hour 30 minutes"],
    [86_400, "1 day"],
  ])("of %i seconds is said as %s", (seconds, words) => expect(describePause(seconds)).toBe(words));

  it("is never shorter than the service allows, and the chosen one stays among those offered", () => {
    expect(listPauses(120, null)[0]).toBe(120);
    expect(listPauses(45, null)[0]).toBe(60);
    expect(listPauses(60, 90).slice(0, 3)).toEqual([60, 90, 120]);
    expect(listPauses(60, 300).filter((seconds) => seconds === 300)).toEqual([300]);
  });
});

describe("how often the list is read anew", () => {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  const faultyItems = { waiting: 0, givenUp: 0, lastFault: null };
  const poll = (
    lastPolledAt: string | null,
    nextPollAt: string | null,
    others: { active?: boolean; lastError?: string } = {},
  ) => ({
    active: true,
    lastError: null,
    ...others,
    poll: {
      event: "new_email",
      parameters: {},
      everySeconds: null,
      takesExisting: false,
      lastPolledAt,
      nextPollAt,
      faultyItems,
    },
  });

  it.each([
    ["nothing is polled", [{ active: true, lastError: null, poll: null }], false],
    ["the only poll is off", [poll(at(1), null, { active: false })], false],
    ["the next look is far", [poll(at(90), at(200))], 10_000],
    ["a look is due", [poll(at(1), at(200)), poll(at(1), at(100))], 2_000],
    ["the first look is under way", [poll(null, at(130))], 2_000],
    ["the first look failed", [poll(null, at(130), { lastError: "No." })], 10_000],
  ])("where %s", (_, triggers, pauseMs) => expect(pauseBetweenReads(triggers, 100_000)).toBe(pauseMs));
});

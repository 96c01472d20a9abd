import { expect, it } from "vitest";
import { runCrashRounds } from "./support/crash-rounds.ts";

it("loses nothing it acknowledged when server and database are killed while writing", { timeout: 60_000 }, async () => {
  const { rounds, acknowledged, lost } = await runCrashRounds(3);
  expect(acknowledged).toBeGreaterThan(rounds * 10);
  expect(lost).toBe(0);
});

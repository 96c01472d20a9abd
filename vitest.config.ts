import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { alone, fullTier } from "./test/tiers.ts";

const everything = "{src,web,test}/**/*.test.{ts,tsx}";
const never = ["**/node_modules/**", "dist/**", "lib/**"];
const slow = Object.values(fullTier).flat();
const isFull = process.env.SWITCHYARD_TESTS === "full";

export const globalSetup = ["test/support/global-setup.ts"];

/** What every project of every configuration has in common. */
export const shared = {
  pool: "forks" as const,
  maxWorkers: availableParallelism(),
  testTimeout: 20_000,
  hookTimeout: 60_000,
  // On a busy machine a second passes without anything being wrong; who gets what they wait for goes on at once.
  expect: { poll: { timeout: 5_000 } },
};

// Files of one worker share its modules, so that the product is loaded once. Those of the full tier are many programs more than one anyway.
// Much of the time a worker waits for the database or for a moment to come: one more than there are cores uses it.
const quick = {
  name: "quick",
  include: [everything],
  exclude: [...never, ...slow],
  isolate: false,
  maxWorkers: availableParallelism() + 1,
};
const rest = { name: "full", include: slow, exclude: [...never, ...alone], sequence: { groupOrder: 1 } };
const lonely = { name: "alone", include: [...alone], exclude: never, maxWorkers: 1, sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    globalSetup,
    watch: false,
    reporters: ["default"],
    projects: (isFull ? [quick, rest, lonely] : [quick]).map((project) => ({ test: { ...shared, ...project } })),
  },
});

import { defineConfig } from "vitest/config";
import { alone } from "./test/tiers.ts";
import { globalSetup, shared } from "./vitest.config.ts";

const inFaults = (name: string) => `test/faults/${name}.test.ts`;
const storm = inFaults("storm");
const lonely = alone.filter((file) => file.startsWith("test/faults/") && file !== storm);

// First the longest one with the others beside it, projects of one group in the order of their names, and then what wants to be alone.
export default defineConfig({
  test: {
    globalSetup,
    projects: [
      { test: { ...shared, name: "storm", include: [storm], sequence: { groupOrder: 1 } } },
      {
        test: {
          ...shared,
          name: "together",
          include: [inFaults("*")],
          exclude: [storm, ...lonely],
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...shared, name: "alone", include: lonely, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});

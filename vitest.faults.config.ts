import { defineConfig } from "vitest/config";
import { globalSetup, shared } from "./vitest.config.ts";

const inFaults = (name: string) => `test/faults/${name}.test.ts`;
const storm = inFaults("storm");
// What they measure in time would suffer from a neighbour.
const alone = ["burden", "cluster", "one-slot", "tenants"].map(inFaults);

// First the longest one with the others beside it, projects of one group in the order of their names, and then what wants to be alone.
export default defineConfig({
  test: {
    globalSetup,
    projects: [
      { test: { ...shared, name: "storm", include: [storm], sequence: { groupOrder: 1 } } },
      { test: { ...shared, name: "together", include: [inFaults("*")], exclude: [storm, ...alone], sequence: { groupOrder: 1 } } },
      { test: { ...shared, name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});

import { afterAll, beforeAll } from "vitest";
import type { Case, FlowNode, Work } from "../reference/flow.ts";
import { findDifferences } from "../reference/run-cases.ts";
import { manySlots, startTestBed, type TestBed } from "../reference/test-bed.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { invariant } from "./invariant.ts";

const parents = 64;
const children = 20;
const limitMs = 150_000;
const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", ...manySlots };
let testBed: TestBed;
let second: TestApp;

beforeAll(async () => {
  testBed = await startTestBed(environment);
  // Whoever is free goes on with a run, so that turns go back and forth.
  second = await startTestApp({ database: testBed.app.app.database, environment });
});
afterAll(async () => {
  await second?.stop();
  await testBed?.stop();
});

const settings = { retries: 0, retryDelay: 0, continueOnError: false, continueWhenEmpty: false, disabled: false };
const node = (id: string, work: Work, ...sources: string[]): FlowNode => ({
  id,
  work,
  settings,
  from: sources.map((source) => ({ source, way: "out" })),
});
const ask: Work = { type: "ask", per: "list", plan: "fine" };

/** Calls all its children side by side and asks for itself before and after; each child asks twice. */
function buildFamily(): Case {
  const calls = Array.from({ length: children }, (_, index) => `call${index}`);
  const parent = [
    node("before", ask),
    ...calls.map((id) => node(id, { type: "call_workflow", flow: 1, payload: "default" }, "before")),
    node("all", { type: "merge", mode: "append" }, ...calls),
    node("after", ask, "all"),
  ];
  return { payload: { number: 1 }, flows: [parent, [node("first", ask), node("second", ask, "first")]] };
}

invariant("V44", {
  promise:
    "without a crash no request is repeated and none is missing, under 64 parallel parents with 20 children each",
  rounds: { quick: 1, full: 10 },
  planted: "the provider hears a child once more",
  async check({ rounds, isPlanted }) {
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const names = Array.from({ length: parents }, (_, index) => `p${round}-${index}`);
      const found = names.map((name) => findDifferences(buildFamily(), name, { ...testBed, limitMs }));
      if (isPlanted) await askOnceMore(`${names[0]}/call0/first/once`);
      violations.push(...(await Promise.all(found)).flat());
    }
    return violations;
  },
});

async function askOnceMore(title: string): Promise<void> {
  await fetch(`${testBed.outside.url}/repos/acme/fine/issues`, { method: "POST", body: JSON.stringify({ title }) });
}

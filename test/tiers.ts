/**
 * What only `npm run test:full` runs, and why it is not part of every `npm test`: it starts processes or browsers, repeats something often, or needs
 * programs that a contributor may not have. Everything else is in both. CONTRIBUTING.md shows this table to people.
 */
export const fullTier: Record<string, readonly string[]> = {
  "Every page in a browser": ["test/browser-*.test.ts", "test/inspector-oauth.test.ts", "test/openapi.test.ts"],
  "Attacks, in their short form": ["test/attacks/*.test.ts", "test/bad-input.test.ts", "test/mcp-fuzz.test.ts"],
  "Promises under faults, in their short form": [
    "test/faults/!(access|graphs).test.ts",
    "test/reference/many-graphs.test.ts",
    ...["runs-crashes", "runs-takeover", "runs-interruptions", "runs-branches", "runs-handed-on"].map(inTest),
    "src/expressions/interpret-property.test.ts",
  ],
  "Commands and servers as processes of their own": [
    ...["serve", "start", "command-line", "credentials-command", "triggers-command", "rolling-restart", "role-loading", "slots"].map(
      inTest,
    ),
    ...["master-key", "backup", "backup-tables", "upgrade", "deploy", "deploy-nginx", "how-to", "pooler", "gateway-slots"].map(inTest),
    "src/expressions/evaluator-pool.test.ts",
    "src/storage/embedded-postgres.test.ts",
    "src/storage/postgres-cluster.test.ts",
  ],
  "What is large or many": ["runs-large", "runs-memory", "runs-overrides", "backup-size", "deleting-many"].map(inTest),
  "Leases, pauses and outages in real time": [
    ...["events", "history-live", "history-record", "plans", "traces", "door-limits", "runs-items-speed", "webhook-answers", "polls"].map(
      inTest,
    ),
    inTest("preview-limits"),
    "src/slots/slots-shared.test.ts",
    "src/storage/database.test.ts",
  ],
  "Foreign clients and published descriptions": [
    ...["contracts", "conformance", "oauth-conformance", "mcp-clients", "mcp-client-programs", "oauth-interop", "oauth-proxy"].map(inTest),
  ],
  "What vendors end on a known day": [inTest("api-versions")],
  "A copy of the repository with new providers, or changed sources": [inTest("add-a-provider"), inTest("server-bundle")],
  "Installing, packing and other machines": ["test/platforms/{package,other-machines,node-versions,emulated}.test.ts"],
};

/** What measures time, or fills both cores itself, would suffer from a neighbour and runs alone. */
export const alone: readonly string[] = [
  ...["burden", "cluster", "one-slot", "tenants", "storm", "parallel-calls"].map((name) => `test/faults/${name}.test.ts`),
  ...["expressions", "heavy-bodies", "route-fuzz", "schedules", "sign-in-flood", "viewer-searches"].map(
    (name) => `test/attacks/${name}.test.ts`,
  ),
  "test/reference/many-graphs.test.ts",
  "test/runs-items-speed.test.ts",
  "test/platforms/emulated.test.ts",
];

function inTest(name: string): string {
  return `test/${name}.test.ts`;
}

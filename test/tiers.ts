/**
 * What only `npm run test:full` runs, and why it is not part of every `npm test`: it starts processes or browsers, repeats something often, or needs
 * programs that a contributor may not have. Everything else is in both. CONTRIBUTING.md shows this table to people.
 */
export const fullTier: Record<string, readonly string[]> = {
  "Every page in a browser": [
    "test/web/!(main-journey|node-forms).test.ts",
    "test/oauth/inspector-oauth.test.ts",
    "test/door/openapi.test.ts",
  ],
  "Attacks, in their short form": [
    "test/attacks/*.test.ts",
    "test/door/bad-input.test.ts",
    "test/gateway/mcp-fuzz.test.ts",
  ],
  "Promises under faults, in their short form": [
    "test/faults/!(access|graphs).test.ts",
    "test/reference/many-graphs.test.ts",
    "test/runs/{crashes,takeover,interruptions,branches,handed-on}.test.ts",
    "src/expressions/interpret-property.test.ts",
  ],
  "Commands and servers as processes of their own": [
    "test/commands/{serve,start,command-line,credentials-command,triggers-command,variables-command,workflows-command,rolling-restart,role-loading}.test.ts",
    "test/commands/{pooler,processes,processes-under-load}.test.ts",
    "test/commands/{backup,backup-tables,upgrade,deploy,deploy-nginx}.test.ts",
    "test/{vault/master-key,slots/slots,gateway/slots,repository/how-to}.test.ts",
    "src/expressions/evaluator-pool.test.ts",
    "src/storage/{embedded-postgres,postgres-cluster}.test.ts",
  ],
  "What is large or many": [
    "test/runs/{large,memory,overrides}.test.ts",
    "test/{commands/backup-size,identity/deleting-many}.test.ts",
  ],
  "Leases, pauses and outages in real time": [
    "test/{events/events,plans/plans}.test.ts",
    "test/history/{live,record}.test.ts",
    "test/door/{limits,traces}.test.ts",
    "test/runs/{items-speed,preview-limits}.test.ts",
    "test/triggers/{polls,polls-own-items,polls-faulty,webhook-removals,webhook-answers}.test.ts",
    "src/{slots/slots-shared,storage/database}.test.ts",
  ],
  "Foreign clients and published descriptions": [
    "test/catalog/contracts.test.ts",
    "test/gateway/{conformance,mcp-clients,mcp-client-programs}.test.ts",
    "test/oauth/{conformance,interop,proxy}.test.ts",
  ],
  "What vendors end on a known day": ["test/catalog/api-versions.test.ts"],
  "A copy of the repository with new providers, or changed sources": [
    "test/{catalog/add-a-provider,commands/server-bundle}.test.ts",
  ],
  "Installing, packing and other machines": ["test/platforms/{package,other-machines,node-versions,emulated}.test.ts"],
};

/** What measures time, or fills both cores itself, would suffer from a neighbour and runs alone. */
export const alone: readonly string[] = [
  ...["burden", "cluster", "one-slot", "tenants", "storm", "parallel-calls"].map(
    (name) => `test/faults/${name}.test.ts`,
  ),
  ...["expressions", "heavy-bodies", "route-fuzz", "schedules", "sign-in-flood", "viewer-searches"].map(
    (name) => `test/attacks/${name}.test.ts`,
  ),
  "test/reference/many-graphs.test.ts",
  "test/runs/items-speed.test.ts",
  "test/web/step-speed.test.ts",
  "test/platforms/emulated.test.ts",
];

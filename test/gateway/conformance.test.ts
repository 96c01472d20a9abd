import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conformanceServer, startHeaderProxy } from "../support/gateway/conformance-server.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";

let mcp: McpApp;
let proxy: Awaited<ReturnType<typeof startHeaderProxy>>;
const program = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const results = mkdtempSync(join(tmpdir(), "switchyard-conformance-"));

beforeAll(async () => {
  mcp = await startMcpApp({
    gateway: { privateServers: [conformanceServer] },
    environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "100000" },
  });
  proxy = await startHeaderProxy(mcp.app.gatewayUrl, { "x-api-key": mcp.key });
});
afterAll(async () => {
  await proxy.stop();
  await mcp.stop();
  rmSync(results, { recursive: true, force: true });
});

const legacy = ["server-initialize", "ping"];
const everyServer = ["tools-list", "dns-rebinding-protection"];
const modern = ["http-header-validation", "server-sse-multiple-streams"];
const fixtures = [
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
];

/** What must pass completely. The conformance server has the suite's fixture tools; `system` is one of the product's own. */
const passing = [
  { serverId: "conformance", revision: "2025-06-18", scenarios: [...legacy, "tools-list", ...fixtures] },
  {
    serverId: "conformance",
    revision: "2025-11-25",
    scenarios: [...legacy, ...everyServer, ...fixtures, "json-schema-2020-12"],
  },
  {
    serverId: "conformance",
    revision: "2026-07-28",
    scenarios: [...modern, ...everyServer, ...fixtures, "json-schema-2020-12"],
  },
  { serverId: "system", revision: "2025-11-25", scenarios: [...legacy, ...everyServer] },
  { serverId: "system", revision: "2026-07-28", scenarios: [...modern, ...everyServer] },
];

/** What must pass except for the checks that are about features a server of tools only does not have. */
const partial: Record<string, string[]> = {
  "server-stateless": [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
    "sep-2575-server-sends-tools-list-changed-on-subscription",
  ],
  caching: [
    "sep-2549-prompts-list-caching-hints",
    "sep-2549-resources-list-caching-hints",
    "sep-2549-resources-templates-list-caching-hints",
    "sep-2549-resources-read-caching-hints",
  ],
};

/** docs/mcp-protocol.md says why; a scenario that appears here and there is not claimed. */
const notApplicable =
  /^(prompts-|resources-|completion-|logging-|elicitation-|input-required-result-|sep-2164-|server-session-lifecycle$|server-sse-polling$|tools-call-(sampling|elicitation|with-logging)$|http-custom-header-server-validation$)/;

type Check = { id: string; status: string; errorMessage?: string };

/** Runs every scenario of a revision and returns what each one found. */
async function runSuite(serverId: string, revision: string): Promise<Map<string, Check[]>> {
  const folder = mkdtempSync(join(results, "run-"));
  const words = [
    "server",
    "--url",
    `${proxy.url}/${serverId}/mcp`,
    "--suite",
    "all",
    "--spec-version",
    revision,
    "-o",
    folder,
    "--timeout",
    "5000",
  ];
  await promisify(execFile)(process.execPath, [program, ...words]).catch(() => {});
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("checks.json"),
  );
  const scenarioOf = (file: string) => dirname(file).replace(/^server-(.*?)-\d{4}-\d\d-\d\dT[\d-]+Z$/, "$1");
  return new Map(
    files.map((file) => [scenarioOf(file), JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[]]),
  );
}

const unsuccessful = (checks: Check[] | undefined) =>
  checks?.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");

describe.each(passing)(
  "the official suite for revision $revision at the server $serverId",
  ({ serverId, revision, scenarios }) => {
    let found: Map<string, Check[]>;
    beforeAll(async () => {
      found = await runSuite(serverId, revision);
    });

    it.each(scenarios)("passes %s", (scenario) => {
      const checks = found.get(scenario);
      expect(unsuccessful(checks)).toEqual([]);
      expect(checks?.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThan(0);
    });

    if (revision === "2026-07-28")
      it.each(Object.entries(partial))("passes what applies of %s", (scenario, others) => {
        expect(unsuccessful(found.get(scenario))?.map(({ id }) => id)).toEqual(others);
      });

    if (serverId === "conformance")
      it("leaves out only what does not apply", () => {
        const isSettled = (name: string) =>
          scenarios.includes(name) || Object.hasOwn(partial, name) || notApplicable.test(name);
        const withoutSessions = revision === "2025-11-25" ? ["server-sse-multiple-streams"] : [];
        expect([...found.keys()].filter((name) => !isSettled(name))).toEqual(withoutSessions);
      });
  },
);

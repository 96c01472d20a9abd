import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyRepository } from "../support/catalog/copy-repository.ts";

// These ask the product for all of its providers, servers, tools or kinds of accounts: when one of them counts or lists them by itself, a
// new folder breaks it. They were found by adding folders and running everything that mentions the catalogue. A new test of that sort belongs here.
const dependents = [
  "src/catalog/load-providers.test.ts",
  "test/web/keys.test.ts",
  "test/web/servers.test.ts",
  "test/catalog/catalog.test.ts",
  "test/doctor/doctor.test.ts",
  "test/gateway/mcp-clients.test.ts",
  "test/gateway/mcp-tools.test.ts",
  "test/web/node-forms.test.ts",
  "test/catalog/nodes.test.ts",
  "test/oauth/audience.test.ts",
  "test/oauth/authorize.test.ts",
  "test/oauth/discovery.test.ts",
  "test/plans/plans.test.ts",
  "test/gateway/servers.test.ts",
  "test/calls/try-tool.test.ts",
  "test/gateway/workflow-tools.test.ts",
];
const testsOfWeather = "src/providers/weather/weather.test.ts";

let copy: ReturnType<typeof copyRepository>;
beforeAll(() => {
  copy = copyRepository();
});
afterAll(() => copy?.remove());

/** The files that docs/add-a-provider.md shows, as it shows them. */
function readGuide(): Record<string, string> {
  const guide = readFileSync(path.join(copy.folder, "docs/add-a-provider.md"), "utf8");
  const sections = guide.split(/^## /m).map((section) => /^(\S+\.ts)\n.*?^```ts\n(.*?)^```$/ms.exec(section));
  return Object.fromEntries(sections.flatMap((found) => (found ? [[found[1], found[2]]] : [])));
}

/** The other sort: without an account, and with a name that comes before all others. */
const abacus = {
  "index.ts": `import { defineProvider } from "../../contract/provider.ts";

export const provider = defineProvider({ id: "abacus", title: "Abacus", description: "Counts.", credential: null });
`,
  "add.ts": `import { z } from "zod";
import { defineAction } from "../../contract/action.ts";

export const action = defineAction({
  id: "abacus_add",
  title: "Add",
  description: "The sum of two numbers.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  credential: null,
  input: z.strictObject({ first: z.number().describe("A number."), second: z.number().describe("Another number.") }),
  output: z.object({ sum: z.number() }),
  run: async ({ input: { first, second } }) => [{ sum: first + second }],
});
`,
};

function addProvider(id: string, files: Record<string, string>): void {
  const providers = path.join(copy.folder, "src/providers");
  mkdirSync(path.join(providers, id));
  cpSync(path.join(providers, "system/icon.svg"), path.join(providers, id, "icon.svg"));
  for (const [name, source] of Object.entries(files)) writeFileSync(path.join(providers, id, name), source);
}

type Report = { testResults: { name: string; message: string; assertionResults: Assertion[] }[] };
type Assertion = { fullName: string; status: string; failureMessages: string[] };

/** Runs test files of the copy with its own configuration, and tells of each test how it ended. */
async function runTests(files: string[], signal: AbortSignal) {
  const report = path.join(copy.folder, "report.json");
  // One worker: this runs beside other files.
  const words = ["run", "--maxWorkers=1", "--reporter=json", `--outputFile=${report}`, ...files];
  // What the run around this one has told its own workers is not meant for them.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|TEST$)/.test(name));
  const env = { ...Object.fromEntries(inherited), SWITCHYARD_TESTS: "full" };
  const options = { cwd: copy.folder, env, signal, maxBuffer: 2 ** 26 };
  const failure = await promisify(execFile)(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", ...words],
    options,
  ).catch((error: Error & { stderr?: string }) => `${error.message}\n${error.stderr}`);
  if (!existsSync(report)) throw new Error(`The tests of the copy did not run: ${String(failure)}`);
  return (JSON.parse(readFileSync(report, "utf8")) as Report).testResults.map(
    ({ name, message, assertionResults }) => ({
      file: path.relative(copy.folder, name),
      fault: message,
      tests: assertionResults,
    }),
  );
}

it("takes one folder and nothing else: no test has to be told of the new provider", { timeout: 20 * 60_000 }, async ({
  signal,
}) => {
  const guide = readGuide();
  expect(Object.keys(guide)).toEqual(["index.ts", "credential.ts", "get_forecast.ts", "weather.test.ts"]);
  addProvider("weather", guide);
  addProvider("abacus", abacus);
  const results = await runTests([...dependents, testsOfWeather], signal);
  expect(results.map(({ file }) => file).sort()).toEqual([...dependents, testsOfWeather].sort());
  const tests = results.flatMap(({ file, tests: all }) =>
    all.map((test) => ({ ...test, fullName: `${file}: ${test.fullName}` })),
  );
  const failed = tests
    .filter(({ status }) => status === "failed")
    .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join("\n").split("\n    at ")[0]}`);
  expect([...results.map(({ fault }) => fault).filter((fault) => fault !== ""), ...failed]).toEqual([]);
  // The copy knows them: its forms are tested, tool by tool.
  const names = tests.filter(({ status }) => status === "passed").map(({ fullName }) => fullName);
  for (const tool of ["weather_get_forecast", "abacus_add"])
    expect(names).toContainEqual(expect.stringContaining(`show every field of ${tool}`));
});

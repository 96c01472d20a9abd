import { Stryker } from "@stryker-mutator/core";

/** What is changed, and the tests that have to notice. Tests that start processes are left out: those run the unchanged files. */
const areas = {
  overrides: {
    mutate: ["src/runs/accept/check-overrides.ts"],
    tests: ["test/triggers/trigger-endpoint.test.ts"],
  },
  scrub: {
    mutate: ["src/base/scrub.ts"],
    tests: ["src/base/scrub.test.ts"],
  },
  "safe-fetch": {
    mutate: ["src/base/safe-fetch.ts"],
    tests: ["", "-attacks", "-limits", "-tls"].map((part) => `src/base/safe-fetch${part}.test.ts`),
  },
  authenticate: {
    mutate: ["src/gateway/authenticate.ts"],
    tests: ["src/gateway/authenticate.test.ts"],
  },
  "oauth-adapter": {
    mutate: ["src/oauth/adapter.ts"],
    tests: ["src/oauth/adapter.test.ts"],
  },
  slots: {
    mutate: ["local", "share", "waiter"].map((part) => `src/slots/slots-${part}.ts`),
    tests: ["src/slots/slots-local.test.ts", "src/slots/slots-local-reports.test.ts"],
  },
};

/** Changes one thing at a time in the code of the areas named, or of all, and fails when the tests miss more than a tenth in one of them. */
export async function runMutants(root, words) {
  const unknown = words.find((name) => !Object.hasOwn(areas, name));
  if (unknown !== undefined) throw new Error(`unknown area "${unknown}", known are: ${Object.keys(areas).join(", ")}`);
  process.chdir(root);
  for (const name of words.length > 0 ? words : Object.keys(areas)) await runArea(name, areas[name]);
}

async function runArea(name, { mutate, tests }) {
  console.log(`\n${name}`);
  process.env.SWITCHYARD_MUTANTS_TESTS = tests.join(",");
  const stryker = new Stryker({
    mutate,
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "vitest.mutants.config.ts", related: false, pool: "forks" },
    coverageAnalysis: "perTest",
    concurrency: 2,
    // A slow machine must not look like a change that was noticed.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 10,
    reporters: ["progress-append-only", "clear-text", "json"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `dist/mutants/${name}.json` },
    logLevel: "warn",
    tempDirName: "dist/mutants/sandbox",
    // Its reader of tsconfig.json needs an older TypeScript, and nothing is compiled here.
    ignorePatterns: ["/dist", "/tsconfig.json", "/web"],
    thresholds: { high: 100, low: 90, break: 90 },
  });
  await stryker.runMutationTest();
}

import { parseArgs } from "node:util";

/** What is attacked outside of test/attacks; docs/security-tests.md says which class each of them proves. */
const others = [
  ...["bad-input", "doors", "openapi"].map((name) => `door/${name}`),
  ...["isolation", "accounts", "invitations", "organizations", "sessions", "api-keys"].map(
    (name) => `identity/${name}`,
  ),
  ...["key-rules", "mcp-fuzz", "mcp-protocol", "mcp-tools", "mcp-authentication"].map((name) => `gateway/${name}`),
  ...["credential-refresh", "connect"].map((name) => `vault/${name}`),
  "triggers/webhooks",
  ...["audience", "authorize", "consent", "metadata-documents", "registration", "tokens"].map(
    (name) => `oauth/${name}`,
  ),
  ...["history", "organization", "keys", "runs", "node-form"].map((name) => `web/${name}`),
];
const parts = [
  "src/base/",
  "src/expressions/",
  "src/slots/slots-property",
  "src/workflows/resolve-parameters",
  "src/vault/seal",
  "src/door/",
  "src/triggers/next-fire",
  "src/triggers/standard-webhook",
];

/** The words for vitest that run the attacks in their long form; `--quick` takes the short one, `--seed` repeats an earlier fuzz. */
export function attackSuite(words) {
  const { values } = parseArgs({ args: words, options: { quick: { type: "boolean" }, seed: { type: "string" } } });
  if (values.seed !== undefined && !/^\d+$/.test(values.seed)) throw new Error("--seed takes a whole number");
  if (!values.quick) process.env.SWITCHYARD_ROUNDS = "full";
  if (values.seed !== undefined) process.env.SWITCHYARD_SEED = values.seed;
  // One after the other: what is measured in time would suffer from a neighbour.
  return ["test/attacks/", ...others.map((name) => `test/${name}.test.ts`), ...parts, "--no-file-parallelism"];
}

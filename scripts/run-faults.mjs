import { parseArgs } from "node:util";

/**
 * The words for vitest that check the promises under faults: all, or those named (`V5 V11`).
 * `--quick` takes the short form, `--planted` shows that each check sees a fault, `--seed` repeats an earlier run.
 */
export function faultSuite(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { quick: { type: "boolean" }, planted: { type: "boolean" }, seed: { type: "string" } },
  });
  const wrong = positionals.find((name) => !/^V\d+$/.test(name));
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is no invariant; docs/reliability.md lists them: V1, V2 and so on`);
  if (values.seed !== undefined && !/^\d+$/.test(values.seed)) throw new Error("--seed takes a whole number");
  if (!values.quick) process.env.SWITCHYARD_ROUNDS = "full";
  if (values.planted) process.env.SWITCHYARD_PLANTED = "1";
  process.env.SWITCHYARD_SEED = values.seed ?? String(Math.trunc(Math.random() * 2 ** 31));
  const chosen =
    positionals.length > 0 ? ["--testNamePattern", `^(${positionals.join("|")}):`] : ["--testNamePattern", "^V\\d+:"];
  const reporters = ["--reporter", "default", "--reporter", "./test/faults/table-reporter.ts"];
  return ["--config", "vitest.faults.config.ts", ...chosen, ...reporters];
}

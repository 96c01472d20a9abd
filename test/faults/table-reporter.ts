import type { Reporter, TestCase } from "vitest/node";

type Row = { id: string; promise: string; rounds: string; violations: string };

/** Prints one table at the end: invariant, rounds, violations. */
export default function createTableReporter(): Reporter {
  const rows: Row[] = [];
  return {
    onTestCaseResult(test: TestCase) {
      const { invariant } = test.meta();
      const [, id = "", promise = ""] = /^(V\d+): (.*)$/.exec(test.name) ?? [];
      if (!id || test.result().state === "skipped") return;
      const seen = invariant?.planted
        ? `${invariant.violations} of the planted fault: ${invariant.planted}`
        : String(invariant?.violations);
      rows.push({
        id,
        promise,
        rounds: String(invariant?.rounds ?? "–"),
        violations: invariant ? seen : "could not be checked",
      });
    },
    onTestRunEnd() {
      rows.sort((one, other) => Number(one.id.slice(1)) - Number(other.id.slice(1)));
      const titles = { id: "", promise: "invariant", rounds: "rounds", violations: "violations" };
      const width = (field: "id" | "promise" | "rounds") =>
        Math.max(...[titles, ...rows].map((row) => row[field].length));
      const [idWidth, promiseWidth, roundsWidth] = [width("id"), width("promise"), width("rounds")];
      const print = ({ id, promise, rounds, violations }: Row) =>
        `${id.padEnd(idWidth)}  ${promise.padEnd(promiseWidth)}  ${rounds.padStart(roundsWidth)}  ${violations}\n`;
      process.stdout.write(
        `\n${[titles, ...rows].map(print).join("")}\nseed ${process.env.SWITCHYARD_SEED ?? "of each file"}\n`,
      );
    },
  };
}

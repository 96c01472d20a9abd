import { runCrashRounds } from "../test/support/runs/crash-rounds.ts";
import { reportFigure } from "./report-figure.ts";

const bench = "durability";
const { rounds, acknowledged, lost } = await runCrashRounds(Number(process.argv[2] ?? 20));
reportFigure({ bench, figure: `acknowledged API keys in ${rounds} rounds`, value: acknowledged, unit: "keys" });
reportFigure({
  bench,
  figure: `of these lost after ${rounds} kills of server and database`,
  value: lost,
  unit: "keys",
  bar: { atMost: 0 },
});

import { compareRequests } from "./compare-requests.ts";
import { fireSchedules } from "./fire-schedules.ts";
import { large, small } from "./growth-sizes.ts";
import { openInstallation } from "./open-installation.ts";
import { median, reportFigure } from "./report-figure.ts";

// Every list, search, page, sign-in and call of a large installation beside a small one, over the wire.
const bench = "growth";
const bar = { atMost: 1.5 };
const dueAtOnce = 1_000;

const few = await openInstallation(small);
const many = await openInstallation(large).catch(async (error: unknown) => {
  await few.close();
  throw error;
});
try {
  reportFigure({ bench, figure: "filling the large installation", value: many.filledSeconds, unit: "s" });
  for await (const { name, few: ofFew, many: ofMany } of compareRequests(
    few,
    many,
    new RegExp(process.argv[2] ?? ""),
  )) {
    compare(`${name}, p50`, "ms", ofMany.ms, ofFew.ms);
    compare(`${name}, processor time of server and database`, "ms", ofMany.processorMs, ofFew.processorMs);
  }
  await reportSchedules();
} finally {
  await few.close();
  await many.close();
}

async function reportSchedules(): Promise<void> {
  const seconds = { few: [] as Fired[], many: [] as Fired[] };
  for (let round = 0; round < 3; round++) {
    seconds.few.push(await fireSchedules(few, dueAtOnce));
    seconds.many.push(await fireSchedules(many, dueAtOnce));
  }
  for (const part of ["accepted", "ended"] as const) {
    const [value, baselineValue] = [
      median(seconds.many.map((one) => one[part])),
      median(seconds.few.map((one) => one[part])),
    ];
    compare(`${dueAtOnce} schedules due in one moment, until the last run is ${part}`, "s", value, baselineValue);
  }
}
type Fired = Awaited<ReturnType<typeof fireSchedules>>;

/** What waits for a processor is slower on a busy machine, here and there: there the processor time says more. */
function compare(figure: string, unit: string, value: number, baselineValue: number): void {
  reportFigure({ bench, figure, value, unit, baseline: "small", baselineValue });
  reportFigure({ bench, figure: `${figure}, large over small`, value: value / baselineValue, unit: "×", bar });
}

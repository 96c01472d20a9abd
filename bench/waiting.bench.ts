import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { measureRuns } from "./measure-runs.ts";
import { prepareWorkflow } from "./prepare-workflow.ts";
import { median, reportFigure } from "./report-figure.ts";

// What it costs to wait for the end of a run with `Prefer: wait`: the same five-node runs per second with and without, in turn.
const bench = "waiting";
const rounds = 5;
const roundMs = 3_000;

const { dataDir, remove } = createDataDir();
const environment = {
  RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1000",
  LOG_LEVEL: "warn",
};
const server = await startServer({ dataDir, environment });
try {
  const { key, workflowId } = await prepareWorkflow(dataDir, ["workflows:trigger"], 5);
  const load = { url: `${server.platformUrl}/task-runner/trigger/${workflowId}`, body: "{}", forMs: roundMs };
  const without = () => measureRuns(server, { ...load, headers: { "X-API-Key": key }, status: 202 });
  const waiting = () => measureRuns(server, { ...load, headers: { "X-API-Key": key, Prefer: "wait=30" }, status: 200 });
  await without();
  await waiting();
  const rates: { without: number[]; waiting: number[] } = { without: [], waiting: [] };
  for (let round = 0; round < rounds; round++) {
    rates.without.push(await without());
    rates.waiting.push(await waiting());
  }
  const [value, baselineValue] = [median(rates.waiting), median(rates.without)];
  const figure = "five-node runs per second that 64 connections wait for";
  reportFigure({ bench, figure, value, unit: "1/s", baseline: "without waiting", baselineValue });
  reportFigure({
    bench,
    figure: `${figure}, over those without waiting`,
    value: value / baselineValue,
    unit: "×",
    bar: { atLeast: 0.8 },
  });
} finally {
  await server.stop();
  await remove();
}

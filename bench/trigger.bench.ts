import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { prepareWorkflow } from "./prepare-workflow.ts";
import { listParts, startProcessorClock } from "./processor-time.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// Triggers that are answered with 202, which is after the run and its place in the queue are committed. The process that accepts has no
// worker in the first figures, so that they show accepting alone; in the others it also runs what it accepts, as after `npm start`.
const bench = "trigger";
const roundMs = 3_000;
const environment = {
  RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1000",
  LOG_LEVEL: "warn",
};
await measureServer("accepting alone", "platform,gateway");
await measureServer("accepting and running", "platform,gateway,worker");

async function measureServer(name: string, roles: string): Promise<void> {
  const { dataDir, remove } = createDataDir();
  const server = await startServer({ dataDir, environment, roles });
  try {
    const { key, workflowId } = await prepareWorkflow(dataDir, ["workflows:trigger"]);
    const url = `${server.platformUrl}/task-runner/trigger/${workflowId}`;
    const load = { url, body: "{}", headers: { "X-API-Key": key }, status: 202 };
    await sendRequests({ ...load, connections: 64, forMs: roundMs });
    const clock = startProcessorClock(listParts(server.pid, dataDir));
    const many = await sendRequests({ ...load, connections: 64, forMs: roundMs });
    const spent = clock();
    const one = await sendRequests({ ...load, connections: 1, forMs: roundMs });
    const figure = `accepted triggers per second, 64 connections, ${name}`;
    reportFigure({ bench, figure, value: many.perSecond, unit: "1/s", bar: { atLeast: 1500 } });
    for (const part of ["server", "postgres"] as const)
      reportFigure({
        bench,
        figure: `processor time of the ${part} per trigger, ${name}`,
        value: spent[part] / many.count,
        unit: "µs",
      });
    reportFigure({
      bench,
      figure: `p50, one connection, ${name}`,
      value: median(one.latenciesMs),
      unit: "ms",
      ...(name === "accepting alone" ? { bar: { atMost: 4 } } : {}),
    });
  } finally {
    await server.stop();
    await remove();
  }
}

import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { listPostgres, listTree } from "../test/support/processes.ts";
import { createDataDir, type SpawnedServer, startServer } from "../test/support/spawned-server.ts";
import { measureMemory } from "./measure-memory.ts";
import { median, reportFigure } from "./report-figure.ts";

// `npm start` as a person runs it: how long until both doors answer, and what it all weighs when nothing happens. On a machine whose
// Node.js is too old, npm and a process that waits go on running in that one, beside the one from npm; so both kinds of machine are weighed.
const bench = "start";
const settleMs = 5_000;
const repetitions = 3;

const firstMs: number[] = [];
const secondMs: number[] = [];
const weights: Weight[] = [];
const weightsOfOneNode: Weight[] = [];
const oneNode = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` };
for (let repetition = 0; repetition < repetitions; repetition++) {
  const { dataDir, remove } = createDataDir();
  try {
    firstMs.push(await measure({ dataDir }, async () => {}));
    secondMs.push(await measure({ dataDir }, async (server) => void weights.push(await weigh(server, dataDir))));
    await measure({ dataDir, environment: oneNode }, async (server) => {
      weightsOfOneNode.push(await weigh(server, dataDir));
    });
  } finally {
    await remove();
  }
}

reportFigure({ bench, figure: "first start to ready, empty data folder", value: median(firstMs), unit: "ms" });
reportFigure({ bench, figure: "second start to ready", value: median(secondMs), unit: "ms", bar: { atMost: 3_000 } });
const middle = (part: keyof Weight, way: "pss" | "alone", of = weights) =>
  median(of.map((weight) => weight[part][way]));
reportFigure({ bench, figure: "idle memory of the server process (PSS)", value: middle("server", "pss"), unit: "MB" });
reportFigure({ bench, figure: "idle memory of PostgreSQL (PSS)", value: middle("postgres", "pss"), unit: "MB" });
reportFigure({ bench, figure: "idle memory of npm and its shell (PSS)", value: middle("npm", "pss"), unit: "MB" });
reportFigure({ bench, figure: "idle memory without npm (PSS)", value: middle("withoutNpm", "pss"), unit: "MB" });
reportFigure({
  bench,
  figure: "idle memory without npm, nothing else running",
  value: middle("withoutNpm", "alone"),
  unit: "MB",
});
const bar = { atMost: 220 };
reportFigure({ bench, figure: "idle memory of everything (PSS)", value: middle("all", "pss"), unit: "MB", bar });
reportFigure({
  bench,
  figure: "idle memory of everything, nothing else running",
  value: middle("all", "alone"),
  unit: "MB",
});
reportFigure({
  bench,
  figure: "idle memory of everything, nothing else running, the machine's Node.js new enough",
  value: middle("all", "alone", weightsOfOneNode),
  unit: "MB",
  bar,
});

type Start = { dataDir: string; environment?: Record<string, string> };

async function measure(start: Start, whileRunning: (server: SpawnedServer) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer({ ...start, throughNpm: true });
  try {
    for (const base of [server.platformUrl, server.gatewayUrl]) {
      const { status } = await fetch(`${base}/readyz`);
      if (status !== 200) throw new Error(`${base}/readyz answered ${status}`);
    }
    const elapsedMs = performance.now() - startedAt;
    await whileRunning(server);
    return elapsedMs;
  } finally {
    await server.stop();
    await whenGone(start.dataDir);
  }
}

type Weight = Awaited<ReturnType<typeof weigh>>;

async function weigh(server: SpawnedServer, dataDir: string) {
  await delay(settleMs);
  const database = listPostgres(dataDir);
  const others = listTree(server.pid).filter((pid) => !database.includes(pid));
  const [npm, own] = [others.filter(isNpm), others.filter((pid) => !isNpm(pid))];
  return {
    npm: measureMemory(npm),
    server: measureMemory(own),
    postgres: measureMemory(database),
    withoutNpm: measureMemory([...own, ...database]),
    all: measureMemory([...npm, ...own, ...database]),
  };
}

function isNpm(pid: number): boolean {
  return /^(npm|sh)\b/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
}

async function whenGone(dataDir: string): Promise<void> {
  while (listPostgres(dataDir).length > 0) await delay(20);
}

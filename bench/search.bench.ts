import { rmSync } from "node:fs";
import pg from "pg";
import { createLog } from "../src/base/log.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { createDataDir, type SpawnedServer, startServer } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";

// What somebody waits for who types a few letters of a name among ten thousand workflows: from the request to the whole answer, over the wire.
const bench = "search";
const workflows = 10_000;
const rounds = 40;

const texts = {
  "a common word": "invoice",
  "the beginning of a name": "invoice 77",
  "two words in any order": "berlin refund",
  "one letter": "e",
  "nothing that there is": "zzzzqq",
};

const { dataDir } = createDataDir();
const postgres = await startEmbeddedPostgres({ dataDir, log: createLog("error") });
try {
  const server = await startServer({ dataDir, environment: { DATABASE_URL: addressOf(postgres.target) } });
  try {
    await measure(server);
  } finally {
    await server.stop();
  }
} finally {
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(server: SpawnedServer): Promise<void> {
  const person = server.browser();
  const account = { name: "Ann", email: "ann@example.com", password: "correct horse battery" };
  const setup = await person.post("/api/setup", { ...account, organizationName: "Ann's team" });
  const { organizationId } = setup.body as { organizationId: string };
  await person.post("/api/sign-in", account);
  await fill(organizationId);
  const ask = async (path: string): Promise<number> => {
    const begun = performance.now();
    const { status } = await person.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return performance.now() - begun;
  };
  const timesOf = async (path: string): Promise<number[]> => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await ask(path));
    return times.sort((one, other) => one - other);
  };
  const searchFor = (text: string) =>
    `/api/organizations/${organizationId}/workflow-names?search=${encodeURIComponent(text)}`;
  for (const text of Object.values(texts)) await timesOf(searchFor(text));
  for (const [what, text] of Object.entries(texts)) {
    const baseline = { baseline: "who is signed in, the same way", baselineValue: median(await timesOf("/api/me")) };
    const times = await timesOf(searchFor(text));
    const figure = `${what} among ${workflows} workflows`;
    reportFigure({ bench, figure: `${figure}, shortest`, value: times[0] ?? Number.NaN, unit: "ms" });
    reportFigure({ bench, figure: `${figure}, p50`, value: median(times), unit: "ms", ...baseline });
    const p95 = times[Math.floor(times.length * 0.95)] ?? Number.NaN;
    reportFigure({ bench, figure: `${figure}, p95`, value: p95, unit: "ms", bar: { atMost: 100 } });
  }
}

/** Descriptions as long as people write them: they lie between the names. */
async function fill(organizationId: string): Promise<void> {
  const client = new pg.Client(postgres.target);
  await client.connect();
  await client.query(
    `INSERT INTO workflow (organization_id, id, name, description, folder, tags, is_active, node_count, node_kinds)
     SELECT $1, gen_random_uuid(),
       (ARRAY['Invoice', 'Refund', 'Answer a mail', 'Report'])[1 + number % 4] || ' ' || number || ' ' || (ARRAY['Berlin', 'Oslo', 'Turin'])[1 + number % 3],
       repeat('What it does and why, in a sentence. ', 20), 'Sales/Team ' || number % 50, ARRAY['tag ' || number % 20], true, 3, ARRAY['set_fields']
     FROM generate_series(1, $2::int) AS number`,
    [organizationId, workflows],
  );
  await client.query("ANALYZE workflow");
  await client.end();
}

function addressOf(target: typeof postgres.target): string {
  if (!("host" in target)) throw new Error("The embedded database has no address.");
  return `postgres://${target.user}@localhost/${target.database}?host=${encodeURIComponent(target.host)}&port=${target.port}`;
}

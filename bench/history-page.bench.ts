import { rmSync } from "node:fs";
import pg from "pg";
import { createLog } from "../src/base/log.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { openPage } from "../test/support/browser/open-page.ts";
import { startBrowser } from "../test/support/browser/start-browser.ts";
import { createDataDir, type SpawnedServer, startServer } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";

// From asking for the address to the first row of the history on the screen, in a real browser.
const bench = "history-page";
const rows = 1_000_000;
const loads = 7;

/** Runs in the page: the clock of a page begins with its navigation. */
const noteFirstRow = `
  const observer = new MutationObserver(() => {
    if (!document.querySelector("tbody tr")) return;
    observer.disconnect();
    requestAnimationFrame(() => { globalThis.firstRowAtMs = performance.now(); });
  });
  observer.observe(document, { childList: true, subtree: true });
`;

const readFirstRow = `new Promise((resolve) => {
  const look = () => (globalThis.firstRowAtMs ? resolve(globalThis.firstRowAtMs) : requestAnimationFrame(look));
  look();
})`;

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
  const path = `/o/${organizationId}/history?tab=tools`;
  const program = await startBrowser();
  const open = () => openPage(program, { baseUrl: server.platformUrl, person });

  async function timesOf(): Promise<{ first: number; again: number }> {
    const first: number[] = [];
    const again: number[] = [];
    for (let load = 0; load < loads; load++) {
      const { page, close } = await open();
      await page.addInitScript(noteFirstRow);
      for (const list of [first, again]) {
        await page.goto(path);
        list.push(await page.evaluate<number>(readFirstRow));
      }
      await close();
    }
    return { first: median(first), again: median(again) };
  }

  try {
    await fill(organizationId, 100);
    const few = await timesOf();
    await fill(organizationId, rows);
    const many = await timesOf();
    const baseline = "the same with 100 records";
    const bar = { atMost: 500 };
    const figure = (when: string) => ({
      bench,
      figure: `history opens with ${rows} records, ${when}, p50`,
      unit: "ms",
      baseline,
      bar,
    });
    reportFigure({ ...figure("nothing in the browser's cache"), value: many.first, baselineValue: few.first });
    reportFigure({ ...figure("again"), value: many.again, baselineValue: few.again });
  } finally {
    await program.close();
  }
}

/** As many calls over the last thirty days, evenly. */
async function fill(organizationId: string, count: number): Promise<void> {
  const client = new pg.Client(postgres.target);
  await client.connect();
  try {
    const age = `(interval '30 days' / ${count}) * (${count} - number)`;
    await client.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, api_key_id, api_key_name, parameters, credentials, outputs,
         queued_at, started_at, completed_at, queue_ms, duration_ms, truncated, sanitized, owner, changed_at)
       SELECT $1, uuidv7(-(${age})), 'mcp', 'slack', 'slack_send_message', 'success', $1, 'CI',
         '{"channel":"C024BE91L","text":"The build is green again."}', '{}', '[{"ok":true}]',
         now() - ${age}, now() - ${age}, now() - ${age}, 0, 5, false, false, $1, now() - ${age}
       FROM generate_series(1, ${count}) AS number`,
      [organizationId],
    );
    await client.query("VACUUM ANALYZE tool_call");
  } finally {
    await client.end();
  }
}

function addressOf(target: typeof postgres.target): string {
  if (!("host" in target)) throw new Error("The embedded database has no address.");
  return `postgres://${target.user}@localhost/${target.database}?host=${encodeURIComponent(target.host)}&port=${target.port}`;
}

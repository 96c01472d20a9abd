import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { newId } from "../../src/base/ids.ts";
import type { ToolCallList } from "../../src/history/wire.ts";
import { roundsLimitMs, roundsOf } from "../support/rounds.ts";
import { askAtOnce } from "./ask-at-once.ts";
import { invariant, isPlanted, randomOf } from "./invariant.ts";
import { readCanvases, runStorm, type Storm } from "./storm.ts";
import { nodesOfRun, startYard, type Yard } from "./yard.ts";

const slots = 4;
const leaseMs = 10_000;
const settleLimitMs = 120_000;
const stormLimitMs = roundsOf(300_000, roundsLimitMs);
const rounds = { quick: 3, full: 250 };
let yard: Yard;
let storm: Storm;

beforeAll(async () => {
  yard = await startYard({
    environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: String(slots), RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000" },
  });
  storm = await runStorm(yard, {
    rounds: isPlanted ? rounds.quick : roundsOf(rounds.quick, rounds.full),
    random: randomOf("storm"),
  });
}, stormLimitMs);
afterAll(() => yard?.stop(), 60_000);

type CallRecord = { id: string; status: string; asked: string; said: string | null };

const readRecords = () =>
  yard.query<CallRecord>(
    `SELECT id, status, parameters::jsonb ->> 'title' AS asked, outputs::jsonb -> 0 ->> 'title' AS said
     FROM tool_call WHERE tool = 'github_create_issue'`,
  );

/** Asks until the answer is empty or the time is up; gives the last one. */
async function settle<Item>(ask: () => Promise<Item[]>, limitMs = settleLimitMs): Promise<Item[]> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    const found = await ask();
    if (found.length === 0 || performance.now() > untilMs) return found;
    await delay(500);
  }
}

/** Answers of a tool. A gateway whose database is away refuses with 503, and one that asks for patience has run nothing. */
const answeredCalls = () => storm.calls.filter(({ status, said }) => status === 200 && said !== undefined);
const gatewayKills = () => storm.kills.filter(({ role }) => role === "gateway").length;

invariant("V1", {
  promise: "no answered tool call without a committed record",
  rounds,
  planted: "the record of one answered call is deleted",
  async check() {
    const answered = answeredCalls();
    if (isPlanted)
      await yard.query(`DELETE FROM tool_call WHERE parameters::jsonb ->> 'title' = '${answered[0]?.nonce}'`);
    const ended = new Map(
      (await readRecords()).flatMap(({ asked, status, said }) => (status === "running" ? [] : [[asked, said]])),
    );
    const missing = answered.filter(
      ({ nonce, said }) => !ended.has(nonce) || (said?.title !== undefined && ended.get(nonce) !== nonce),
    );
    return { rounds: gatewayKills(), violations: missing.map(({ nonce }) => `answered and not recorded: ${nonce}`) };
  },
});

invariant("V2", {
  promise: "every accepted call ends in exactly one record",
  rounds,
  planted: "one call is recorded twice",
  async check() {
    if (isPlanted)
      await yard.query(
        `INSERT INTO tool_call SELECT (jsonb_populate_record(NULL::tool_call, to_jsonb(call) || jsonb_build_object('id', '${newId()}'))).*
         FROM (SELECT * FROM tool_call WHERE tool = 'github_create_issue' LIMIT 1) AS call`,
      );
    const unfinished = await settle(async () => (await readRecords()).filter(({ status }) => status === "running"));
    const counts = Map.groupBy(await readRecords(), ({ asked }) => asked);
    const nonces = new Set(storm.calls.map(({ nonce }) => nonce));
    const heard = yard.provider.requests.filter(({ title }) => nonces.has(title));
    const violations = [
      ...unfinished.map(({ asked }) => `never ended: ${asked}`),
      ...[...counts].filter(([, records]) => records.length > 1).map(([nonce]) => `recorded twice: ${nonce}`),
      ...heard.filter(({ title }) => !counts.has(title)).map(({ title }) => `ran without a record: ${title}`),
    ];
    return { rounds: counts.size, violations };
  },
});

type RunRow = { id: string; status: string; prompt: string; delivery: string | null; triggerId: string | null };

const readRuns = () =>
  yard.query<RunRow>(
    `SELECT id, status, trigger_data::json ->> 'prompt' AS prompt, trigger_data::json -> 'payload' ->> 'delivery' AS delivery,
       trigger_id AS "triggerId" FROM run`,
  );

invariant("V3", {
  promise: "no accepted trigger whose run is lost",
  rounds,
  planted: "the row of one accepted run is deleted",
  async check() {
    const accepted = storm.requestedRuns.flatMap(({ runId }) => runId ?? []);
    if (isPlanted) await yard.query(`DELETE FROM run WHERE id = '${accepted[0]}'`);
    const open = async () => {
      const ended = new Map((await readRuns()).map(({ id, status }) => [id, status]));
      return accepted.filter((id) => ended.get(id) !== "succeeded").map((id) => `${id}: ${ended.get(id) ?? "lost"}`);
    };
    return { rounds: accepted.length, violations: await settle(open, isPlanted ? 5_000 : settleLimitMs) };
  },
});

invariant("V4", {
  promise: "a refused trigger never ran, and one Idempotency-Key is one run at most",
  rounds,
  planted: "somebody runs what was refused",
  async check() {
    const wrong = storm.requestedRuns.filter(({ isWrong }) => isWrong);
    if (isPlanted)
      await fetch(yard.provider.url, { method: "POST", body: JSON.stringify({ title: `${wrong[0]?.prompt} first` }) });
    const refused = new Set(wrong.map(({ prompt }) => prompt));
    const heard = yard.provider.requests.filter(({ title }) => refused.has(title.split(" ")[0] ?? ""));
    const counts = Map.groupBy(
      (await readRuns()).filter(({ triggerId }) => triggerId === null),
      ({ prompt }) => prompt,
    );
    const violations = [
      ...wrong
        .filter(({ statuses }) => statuses.some((status) => status < 400))
        .map(({ prompt }) => `accepted: ${prompt}`),
      ...heard.map(({ title }) => `refused and run: ${title}`),
      ...[...counts].filter(([, runs]) => runs.length > 1).map(([prompt, runs]) => `${runs.length} runs of ${prompt}`),
    ];
    return { rounds: storm.requestedRuns.length, violations };
  },
});

/** Those of an organization that ran at once when they were most. Branches of a run share its slot. */
function mostAtOnce(requests: Yard["provider"]["requests"]): string[] {
  const nameOf = (title: string) =>
    nodesOfRun.includes(title.split(" ")[1] ?? "") ? (title.split(" ")[0] as string) : title;
  const changes = requests.flatMap(({ title, at, until }) => [
    { name: nameOf(title), at, by: 1 },
    { name: nameOf(title), at: until, by: -1 },
  ]);
  const running = new Map<string, number>();
  let most: string[] = [];
  for (const { name, by } of changes.sort((one, other) => one.at - other.at || one.by - other.by)) {
    const count = (running.get(name) ?? 0) + by;
    if (count > 0) running.set(name, count);
    else running.delete(name);
    if (running.size > most.length) most = [...running.keys()];
  }
  return most;
}

const organizationOf = (authorization: string) => authorization.replace(/^Bearer token-of-/, "").replace(/-other$/, "");

invariant("V5", {
  promise: "never more executions of an organization at once than its slots, runs and calls together",
  rounds,
  planted: "a hidden caller uses an organization's account beside the product",
  async check() {
    const { requests } = yard.provider;
    if (isPlanted) {
      const headers = { authorization: "Bearer token-of-steady" };
      const call = (index: number) =>
        fetch(yard.provider.url, { method: "POST", headers, body: JSON.stringify({ title: `hidden ${index}` }) });
      await Promise.all(Array.from({ length: slots + 1 }, (_, index) => call(index)));
    }
    // Whoever gives up frees the slot; that the provider goes on all the same is not the product's doing.
    const gaveUpAt = new Map(storm.calls.map((call) => [call.nonce, call.gaveUpAt]));
    const executions = requests
      .map((one) => ({ ...one, until: Math.min(one.until, gaveUpAt.get(one.title) ?? one.until) }))
      .filter(({ at, until }) => until > at);
    const most = [...Map.groupBy(executions, ({ authorization }) => organizationOf(authorization))].map(
      ([name, own]) => [name, mostAtOnce(own)] as const,
    );
    const tooMany = most.filter(([, running]) => running.length > slots);
    const violations = tooMany.map(
      ([name, running]) => `${name}: ${running.length} of ${slots}: ${running.join(", ")}`,
    );
    return { rounds: requests.length, violations };
  },
});

invariant("V7", {
  promise: "no slot leaks",
  rounds,
  planted: "a process that does not exist holds a slot",
  async check() {
    if (isPlanted)
      await yard.query(
        `WITH ghost AS (INSERT INTO slot_worker SELECT gen_random_uuid(), now(), 3600000, id FROM slot_epoch RETURNING id)
         INSERT INTO slot_share SELECT '${storm.steady.organizationId}', id, 1, '{}' FROM ghost`,
      );
    // What a late statement of a lost connection left behind counts nowhere.
    const held = () =>
      yard.query<{ organization_id: string }>(
        "SELECT organization_id FROM slot_share WHERE held > 0 AND EXISTS (SELECT FROM slot_worker WHERE id = worker_id)",
      );
    const left = await settle(held, leaseMs + 10_000);
    return {
      rounds: storm.calls.length,
      violations: left.map(({ organization_id: id }) => `still held: a slot of ${id}`),
    };
  },
});

invariant("V17", {
  promise: "saved canvases stay as they are, and overrides reach their own run only",
  rounds,
  planted: "a saved canvas is changed by hand",
  async check() {
    if (isPlanted)
      await yard.query(
        `UPDATE workflow_version SET canvas = canvas || ' ' WHERE workflow_id = '${storm.steady.workflowId}'`,
      );
    const now = new Map((await readCanvases(yard)).map(({ id, version, hash }) => [`${id} ${version}`, hash]));
    const changed = storm.canvases.filter(({ id, version, hash }) => now.get(`${id} ${version}`) !== hash);
    const requested = new Map(storm.requestedRuns.map((run) => [run.prompt, run]));
    const mixedUp = yard.provider.requests.filter(({ title, authorization }) => {
      const [prompt = "", nodeId] = title.split(" ");
      const run = requested.get(prompt);
      return run && authorization.endsWith("-other") !== (run.takesOtherAccount && nodeId === "left");
    });
    const violations = [
      ...changed.map(({ id }) => `changed: ${id}`),
      ...mixedUp.map(({ title }) => `with the wrong account: ${title}`),
    ];
    return { rounds: requested.size, violations };
  },
});

invariant("V20", {
  promise: "a webhook delivered several times is one run",
  rounds,
  planted: "one delivery comes again under another id",
  async check() {
    if (isPlanted)
      await yard.query(
        `INSERT INTO run SELECT (jsonb_populate_record(NULL::run, to_jsonb(one) || jsonb_build_object('id', '${newId()}'))).*
         FROM (SELECT * FROM run WHERE trigger_id = '${storm.triggerId}' LIMIT 1) AS one`,
      );
    const counts = Map.groupBy(
      (await readRuns()).filter(({ triggerId }) => triggerId === storm.triggerId),
      ({ delivery }) => delivery ?? "",
    );
    const violations = [
      ...storm.deliveries.filter((id) => !counts.has(id)).map((id) => `accepted and lost: ${id}`),
      ...[...counts].filter(([, runs]) => runs.length > 1).map(([id, runs]) => `${runs.length} runs of ${id}`),
    ];
    return { rounds: storm.deliveries.length, violations };
  },
});

invariant("V23", {
  promise: "answers go to their asker, and accounts to their organization",
  rounds: { quick: 400, full: 100_000 },
  planted: "one answer is handed to somebody else",
  async check({ rounds: wanted }) {
    const answered = answeredCalls();
    const swapped = isPlanted ? [answered[1], ...answered.slice(1)] : answered;
    const wrong = answered.filter(({ nonce }, index) => {
      const said = swapped[index]?.said;
      return said?.id !== nonce || (said.title !== undefined && said.title !== nonce);
    });
    const names = new Map(storm.calls.map(({ nonce, team }) => [nonce, team.name]));
    const foreign = yard.provider.requests.filter(
      ({ title, authorization }) => names.has(title) && names.get(title) !== organizationOf(authorization),
    );
    yard.provider.takeTime(2);
    const clients = roundsOf(40, 200);
    // Nobody has to wait here.
    const environment = { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: String(clients) };
    const gateways = await Promise.all([yard.add("gateway", { environment }), yard.add("gateway", { environment })]);
    const mixedUp = await askAtOnce(yard, {
      gateways: gateways.map(({ server }) => server),
      clients,
      calls: wanted / clients,
    });
    const violations = [...wrong.map(({ nonce }) => nonce), ...foreign.map(({ title }) => title), ...mixedUp];
    return { rounds: answered.length + wanted, violations };
  },
});

/** The whole list of calls, page by page; ids that do not fall are faults. */
async function readList() {
  const found = new Map<string, string>();
  const faults: string[] = [];
  let cursor = "";
  let before = "~";
  do {
    const { body } = await storm.owner.get(
      `/api/organizations/${storm.steady.organizationId}/tool-calls?limit=100${cursor}`,
    );
    const { data, nextCursor } = body as unknown as ToolCallList;
    for (const { id, status } of data) {
      if (id >= before) faults.push(`out of order: ${id}`);
      before = id;
      found.set(id, status);
    }
    cursor = nextCursor ? `&cursor=${encodeURIComponent(nextCursor)}` : "";
  } while (cursor);
  return { found, faults };
}

invariant("V27", {
  promise: "the live view shows what the list has, all of it and nothing else",
  rounds,
  planted: "a record that was shown is deleted",
  async check() {
    if (isPlanted) await yard.query(`DELETE FROM tool_call WHERE id = '${[...storm.live.keys()][0]}'`);
    const differences = async () => {
      storm.last?.take();
      const { found, faults } = await readList();
      const onlyLive = [...storm.live]
        .filter(([id, status]) => found.get(id) !== status)
        .map(([id]) => `only live: ${id}`);
      return [
        ...faults,
        ...onlyLive,
        ...[...found].filter(([id]) => !storm.live.has(id)).map(([id]) => `not live: ${id}`),
      ];
    };
    const violations = await settle(differences, isPlanted ? 5_000 : settleLimitMs);
    storm.last?.stop();
    return { rounds: storm.live.size, violations };
  },
});

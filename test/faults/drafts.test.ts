import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import type { Browser } from "../support/browser-client.ts";
import { signUpOwner } from "../support/people.ts";
import { node } from "../support/runs/workflow-app.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { startYard, type Yard } from "./yard.ts";

const schedulesAtOnce = 4;
const editsOfRound = 3;
/** Longer than a process takes to look again. */
const looksMs = 2_500;

let yard: Yard;
let person: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  yard = await startYard({ members: [] });
  await Promise.all(Array.from({ length: 2 }, () => yard.add("platform,gateway,worker")));
  const [first] = yard.members;
  if (!first) throw new Error("a process is needed");
  person = await signUpOwner({ parts: yard.parts, browser: first.server.browser }, "Ann");
}, 90_000);
afterAll(() => yard?.stop());

const path = () => `/api/organizations/${person.organizationId}/workflows`;
const marked = (mark: string) => ({ nodes: [node("a", "set_fields", { fields: { mark } })], edges: [] });
type Marked = ReturnType<typeof marked>;
const markOf = ({ nodes: [first] }: Marked) =>
  String((first?.parameters?.fields as { mark?: string } | undefined)?.mark);
const faulty = (mark: string) => ({ nodes: [{ id: "a", nodeId: "no_such_node", name: mark }], edges: [{ id: "e" }] });

function browserAt(index: number): Browser {
  const browser = yard.members[index]?.server.browser() as Browser;
  for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value);
  return browser;
}

/** What was asked to be published: the note of each publication, and the mark of its canvas. */
type Publications = Map<string, string>;
type Editing = { workflowId: string; published: Publications; random: Random; seen: Record<string, number> };

const createWorkflow = async (canvas: object, publish: boolean) =>
  (await yard.parts.workflows.create(person.organizationId, { name: "Edited", canvas: { ...canvas }, publish }, null))
    .id;

/** Schedules of every minute whose first tick is soon. */
const createSchedules = (workflowId: string) =>
  yard.query(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, prompt, cron, time_zone, next_fire_at, created_at, updated_at)
     SELECT '${person.organizationId}', gen_random_uuid(), '${workflowId}', 'schedule', 'Often', true, '[]', '', '* * * * *', 'UTC',
       date_trunc('milliseconds', clock_timestamp() + random() * interval '900 milliseconds'), now(), now()
     FROM generate_series(1, ${schedulesAtOnce})`,
  );

invariant("V41", {
  promise: "every run names a published version and follows its canvas, whatever becomes of drafts",
  rounds: { quick: 8, full: 200 },
  planted: "a draft that is saved becomes a version, though nobody published it",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted) await plantPublication();
    const workflowId = await createWorkflow(marked("first"), true);
    const neverPublished = await createWorkflow(marked("never"), false);
    const published: Publications = new Map([["", "first"]]);
    const seen = { draft: 0, publish: 0, discard: 0, program: 0, rollback: 0 };
    for (let round = 0; round < rounds; round++) {
      await Promise.all([workflowId, neverPublished].map(createSchedules));
      const editors = [0, 1].map((at) => edit(browserAt(at), { workflowId, published, random: random.fork(), seen }));
      await Promise.all([...editors, delay(900)]);
      await yard.query("DELETE FROM trigger WHERE next_fire_at > now() + interval '2 seconds'");
    }
    await delay(looksMs);
    await yard.query("DELETE FROM trigger");
    const runs = await readRuns(workflowId);
    const unhit = Object.entries(seen).filter(([, count]) => count === 0);
    return [
      ...runs.flatMap((run) => judge(run, published)),
      ...(await readRuns(neverPublished)).map(({ id }) => `${id} is a run of what was never published`),
      ...(runs.length < rounds ? [`only ${runs.length} runs were started in ${rounds} rounds`] : []),
      ...unhit.map(([name]) => `the moment was not hit: nothing came of ${name}`),
    ];
  },
});

const plantPublication = () =>
  yard.plant(
    "AFTER INSERT OR UPDATE ON workflow_draft",
    `INSERT INTO workflow_version (organization_id, workflow_id, version, canvas, canvas_sha256, note)
       SELECT organization_id, id, version + 1, NEW.canvas, NEW.canvas_sha256, 'planted' FROM workflow
       WHERE organization_id = NEW.organization_id AND id = NEW.workflow_id AND is_published;
     UPDATE workflow SET version = version + 1
       WHERE organization_id = NEW.organization_id AND id = NEW.workflow_id AND is_published;
     RETURN NULL;`,
  );

const actions = ["draft", "draft", "fault", "publish", "publish", "discard", "program", "rollback"] as const;

/** A person, or a program, at one of the processes; what another one did meanwhile is answered with a conflict. */
async function edit(browser: Browser, { workflowId, published, random, seen }: Editing): Promise<void> {
  const at = `${path()}/${workflowId}`;
  for (let count = 0; count < editsOfRound; count++) {
    await delay(random.below(200));
    const { version, draft } = (await browser.get(at)).body as { version: number; draft: { revision: number } | null };
    const [name, mark] = [random.pick(actions), `mark ${random.below(2 ** 31)}`];
    const note = `note ${mark}`;
    const save = (canvas: object) =>
      browser.patch(at, { canvas, publish: false, expectedVersion: version, expectedDraft: draft?.revision });
    const doing = {
      draft: () => save(marked(mark)),
      fault: () => save(faulty(mark)),
      discard: () => browser.delete(`${at}/draft`),
      program: () => {
        published.set(note, mark);
        return browser.patch(at, { canvas: marked(mark), expectedVersion: version, note });
      },
      publish: async () => {
        const read = await browser.get(`${at}/draft`);
        if (read.status !== 200) return read;
        const { canvas, faultCount, revision } = read.body;
        if (faultCount === 0) published.set(note, markOf(canvas));
        return await browser.post(`${at}/publish`, { note, expectedDraft: revision, expectedVersion: version });
      },
      rollback: async () => {
        const old = (await browser.get(`${at}/versions/${1 + random.below(version)}`)).body;
        published.set(note, markOf(old.canvas));
        return await browser.post(`${at}/versions/${old.version}/restore`, { note });
      },
    };
    const { status } = await doing[name]();
    expect([200, 204, 400, 404, 409, 503], `${name} answered ${status}`).toContain(status);
    if (status < 300 && name in seen) seen[name] = (seen[name] ?? 0) + 1;
  }
}

type RunRow = { id: string; version: number; status: string; note: string | null; outputs: string | null };

/** With the note of the version that they name, when all have come to their end. */
async function readRuns(workflowId: string): Promise<RunRow[]> {
  const unfinished = `SELECT 1 FROM run WHERE workflow_id = '${workflowId}' AND status IN ('pending', 'running', 'waiting')`;
  await expect.poll(() => yard.query(unfinished), { timeout: 60_000 }).toEqual([]);
  return await yard.query<RunRow>(
    `SELECT run.id, run.workflow_version AS version, run.status, workflow_version.note, run_node.outputs FROM run
       LEFT JOIN workflow_version ON workflow_version.workflow_id = run.workflow_id AND workflow_version.version = run.workflow_version
       LEFT JOIN run_node ON run_node.organization_id = run.organization_id AND run_node.run_id = run.id
     WHERE run.workflow_id = '${workflowId}'`,
  );
}

function judge({ id, version, status, note, outputs }: RunRow, published: Publications): string[] {
  const mark = note === null ? undefined : published.get(note);
  if (mark === undefined) return [`${id} names version ${version}, which nobody published`];
  if (status !== "succeeded") return [`${id} of version ${version} ${status}`];
  return outputs?.includes(`"${mark}"`) ? [] : [`${id} of version ${version} gave ${outputs} instead of ${mark}`];
}

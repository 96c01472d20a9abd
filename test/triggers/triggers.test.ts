import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import type { TestApp } from "../support/test-app.ts";

let workflows: WorkflowApp;
let app: TestApp;
let ann: WorkflowApp["owner"];
let workflowId: string;
let path: string;

beforeAll(async () => {
  workflows = await startWorkflowApp();
  ({ app, owner: ann } = workflows);
  workflowId = await workflows.save([node("a", "set_fields", { fields: { x: "1" } })], [], "Daily report");
  path = `${workflows.path}/triggers`;
});
afterAll(() => workflows.stop());

const schedule = { kind: "schedule", name: "Every morning", cron: "0 9 * * 1-5", timeZone: "Europe/Berlin" };
const create = async (fields: Record<string, unknown> = schedule) => {
  const { status, body } = await ann.browser.post(path, { workflowId, ...fields });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body;
};
const pointersOf = (body: { errors?: { pointer: string }[] }) => body.errors?.map(({ pointer }) => pointer).sort();
const github = async (data: Record<string, unknown>) =>
  (await ann.browser.post(`${workflows.path}/credentials`, { type: "github", name: "GitHub", data })).body.id as string;

describe("a schedule", () => {
  it("is shown with its next five fire times", async () => {
    const made = await create();
    expect(made).toMatchObject({
      ...schedule,
      workflowId,
      workflowName: "Daily report",
      active: true,
      prompt: "",
      overrides: [],
      webhookUrl: null,
      signingSecret: null,
      signature: null,
      lastRunAt: null,
      lastError: null,
    });
    expect(made.nextFireTimes).toHaveLength(5);
    expect(made.nextFireTimes[0]).toBe(made.nextRunAt);
    for (const [index, time] of made.nextFireTimes.entries()) {
      const local = new Intl.DateTimeFormat("en-GB", {
        timeZone: "Europe/Berlin",
        weekday: "short",
        hour: "2-digit",
        minute: "2-digit",
      });
      expect(local.format(new Date(time))).toMatch(/^(Mon|Tue|Wed|Thu|Fri),? 09:00$/);
      if (index > 0) expect(Date.parse(time)).toBeGreaterThan(Date.parse(made.nextFireTimes[index - 1]));
    }
    const { webhookUrl: _, signingSecret: __, ...shown } = made;
    expect((await ann.browser.get(`${path}/${made.id}`)).body).toEqual(shown);
  });

  it("shows no fire times while it is off", async () => {
    expect(await create({ ...schedule, active: false })).toMatchObject({
      active: false,
      nextFireTimes: [],
      nextRunAt: null,
    });
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ["no cron and no time zone", { cron: undefined, timeZone: undefined }, ["/cron", "/timeZone"]],
    ["six fields", { cron: "* * * * * *" }, ["/cron"]],
    ["both wrong", { cron: "x", timeZone: "x" }, ["/cron", "/timeZone"]],
    ["fields of a webhook", { signature: "none", provider: "github" }, ["/provider", "/signature"]],
    ["no name", { name: " " }, ["/name"]],
  ])("is refused with %s", async (_, fields, pointers) => {
    const problem = expectProblem(await ann.browser.post(path, { workflowId, ...schedule, ...fields }), {
      code: "validation_failed",
    });
    expect(pointersOf(problem)).toEqual(pointers);
  });

  it("is refused for a workflow that is not there", async () => {
    const answer = await ann.browser.post(path, { ...schedule, workflowId: randomUUID() });
    expectProblem(answer, { status: 404, code: "workflow_not_found" });
  });

  it("is refused with overrides that a run would be refused with, and says which", async () => {
    const refused = await ann.browser.post(path, {
      workflowId,
      ...schedule,
      overrides: [{ id: "a" }, { id: "nowhere" }],
    });
    const problem = expectProblem(refused, { status: 400, code: "unknown_node" });
    expect([problem.detail, pointersOf(problem)]).toEqual([
      "overrides.1.id is no node of this workflow.",
      ["/overrides/1/id"],
    ]);
    const { id } = await create();
    expectProblem(await ann.browser.patch(`${path}/${id}`, { overrides: [{ id: "nowhere" }] }), {
      code: "unknown_node",
    });
    const kept = await ann.browser.patch(`${path}/${id}`, { overrides: [{ id: "a", runtimeInstruction: "Be brief" }] });
    expect(kept.body.overrides).toEqual([{ id: "a", runtimeInstruction: "Be brief" }]);
  });

  it("can be previewed", async () => {
    const preview = `${workflows.path}/schedule-preview`;
    const { status, body } = await ann.browser.post(preview, { cron: "*/15 * * * *", timeZone: "UTC" });
    expect([status, body.nextFireTimes.length]).toEqual([200, 5]);
    expect(Date.parse(body.nextFireTimes[4]) - Date.parse(body.nextFireTimes[0])).toBe(60 * 60_000);
    expectProblem(await ann.browser.post(preview, { cron: "*/15 * * * * *", timeZone: "UTC" }), {
      code: "validation_failed",
    });
  });

  it("starts a run of the product when it is due", async () => {
    const { id } = await create({ ...schedule, prompt: "Go" });
    await app.database.query(
      "UPDATE trigger SET next_fire_at = clock_timestamp() - interval '1 second' WHERE id = $1",
      [id],
    );
    const read = () =>
      app.database.query<{ id: string; kind: string }>("SELECT id, kind FROM run WHERE trigger_id = $1", [id]);
    await expect.poll(read, { timeout: 10_000 }).toHaveLength(1);
    const [run] = await read();
    expect(await workflows.ended(run?.id ?? "")).toMatchObject({ status: "succeeded", executionType: "schedule" });
    await expect.poll(async () => (await ann.browser.get(`${path}/${id}`)).body.lastRunAt).toEqual(expect.any(String));
    expect(await read()).toHaveLength(1);
  });
});

describe("a webhook", () => {
  it("has an address and, when it is signed, a secret, both shown once", async () => {
    const made = await create({ kind: "webhook", name: "Orders", signature: "standard" });
    expect(made.webhookUrl).toMatch(new RegExp(`^${app.platformUrl}/webhooks/${made.id}/[\\w-]{43}$`));
    expect(made.signingSecret).toMatch(/^whsec_/);
    expect(made).toMatchObject({
      kind: "webhook",
      signature: "standard",
      provider: null,
      cron: null,
      nextFireTimes: [],
      nextRunAt: null,
    });
    const read = (await ann.browser.get(`${path}/${made.id}`)).body;
    expect(read).not.toHaveProperty("webhookUrl");
    expect(read).not.toHaveProperty("signingSecret");
  });

  it("of a provider needs a credential of its type with the signing secret", async () => {
    const bob = await signUpOwner(app, "Bob");
    const foreign = await bob.browser.post(`/api/organizations/${bob.organizationId}/credentials`, {
      type: "github",
      name: "x",
      data: { kind: "bearer", accessToken: "t", webhookSecret: "s" },
    });
    const telegram = await ann.browser.post(`${workflows.path}/credentials`, {
      type: "telegram_bot",
      name: "x",
      data: { botToken: "1:x" },
    });
    const hook = { workflowId, kind: "webhook", name: "Issues", provider: "github" };
    const answers = [
      { ...hook },
      { ...hook, provider: "nobody", credentialId: randomUUID() },
      { ...hook, provider: "openai", credentialId: randomUUID() },
      { ...hook, credentialId: await github({ kind: "bearer", accessToken: "t" }) },
      { ...hook, credentialId: telegram.body.id },
      { ...hook, credentialId: foreign.body.id },
      { ...hook, credentialId: randomUUID() },
    ].map(async (body) => {
      const problem = expectProblem(await ann.browser.post(path, body));
      return [problem.code, ...(pointersOf(problem) ?? [])];
    });
    expect(await Promise.all(answers)).toEqual([
      ["validation_failed", "/credentialId"],
      ["validation_failed", "/provider"],
      ["validation_failed", "/provider"],
      ["validation_failed", "/credentialId"],
      ["credential_type_mismatch"],
      ["credential_not_accessible"],
      ["credential_not_accessible"],
    ]);
    const credentialId = await github({ kind: "bearer", accessToken: "t", webhookSecret: "s" });
    expect(await create({ ...hook, credentialId })).toMatchObject({
      provider: "github",
      credentialId,
      signature: "provider",
      signingSecret: null,
    });
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ["nothing said about signatures", {}, ["/signature"]],
    ["a schedule", { signature: "none", cron: "* * * * *", timeZone: "UTC" }, ["/cron", "/timeZone"]],
    ["a credential but no provider", { credentialId: randomUUID(), signature: "none" }, ["/credentialId"]],
    [
      "a provider and a signature",
      { provider: "github", credentialId: randomUUID(), signature: "standard" },
      ["/signature"],
    ],
  ])("is refused with %s", async (_, fields, pointers) => {
    const problem = expectProblem(await ann.browser.post(path, { workflowId, kind: "webhook", name: "x", ...fields }), {
      code: "validation_failed",
    });
    expect(pointersOf(problem)).toEqual(pointers);
  });

  it("gets a new address and secret; a schedule has none", async () => {
    const made = await create({ kind: "webhook", name: "x", signature: "standard" });
    const again = (await ann.browser.post(`${path}/${made.id}/regenerate-token`)).body;
    expect(again.webhookUrl).not.toBe(made.webhookUrl);
    expect(again.signingSecret).not.toBe(made.signingSecret);
    expectProblem(await ann.browser.post(`${path}/${(await create()).id}/regenerate-token`), {
      status: 409,
      code: "conflict",
    });
  });
});

describe("the list of triggers", () => {
  it("comes page by page, newest first, each trigger once while others are made and deleted", async () => {
    const other = await workflows.save([node("a", "set_fields", { fields: { x: "1" } })], [], "Listed");
    const made: string[] = [];
    for (const name of ["1", "2", "3", "4", "5"])
      made.unshift((await create({ ...schedule, workflowId: other, name })).id);
    const read = async (rest: string) => (await ann.browser.get(`${path}?workflowId=${other}${rest}`)).body;
    const first = await read("&limit=2");
    await create({ ...schedule, workflowId: other, name: "6" });
    expect((await ann.browser.delete(`${path}/${first.nextCursor}`)).status).toBe(204);
    const second = await read(`&limit=2&cursor=${first.nextCursor}`);
    const third = await read(`&limit=2&cursor=${second.nextCursor}`);
    expect([first, second, third].map(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual([
      made.slice(0, 2),
      made.slice(2, 4),
      made.slice(4),
    ]);
    expect(third.nextCursor).toBeNull();
    expect((await read("")).nextCursor).toBeNull();
    for (const rest of ["&limit=201", "&limit=0", "&cursor=x"])
      expectProblem(await ann.browser.get(`${path}?workflowId=${other}${rest}`), { code: "validation_failed" });
  });

  it("shows the next time that is stored, and computes none", async () => {
    const { id, nextRunAt } = await create();
    const listed = (await ann.browser.get(path)).body.data.find((trigger: { id: string }) => trigger.id === id);
    expect([listed.nextRunAt, listed.nextFireTimes]).toEqual([nextRunAt, [nextRunAt]]);
    expect((await ann.browser.get(`${path}/${id}`)).body.nextFireTimes).toHaveLength(5);
  });

  it("can be of those that are on and started nothing the last time", async () => {
    const [failing, off] = [await create(), await create({ ...schedule, active: false })];
    await create();
    await app.database.query("UPDATE trigger SET last_error = 'No.' WHERE id = ANY ($1)", [[failing.id, off.id]]);
    const { data } = (await ann.browser.get(`${path}?failing=true`)).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([failing.id]);
    expect(
      (await ann.browser.get(`${path}?failing=false`)).body.data.map(({ id }: { id: string }) => id),
    ).not.toContain(failing.id);
  });
});

describe("changing a trigger", () => {
  it("keeps what is not mentioned", async () => {
    const { id } = await create({ ...schedule, prompt: "Go", overrides: [{ id: "a" }] });
    const { body } = await ann.browser.patch(`${path}/${id}`, { cron: "30 8 * * *", timeZone: "UTC" });
    expect(body).toMatchObject({
      name: schedule.name,
      prompt: "Go",
      overrides: [{ id: "a" }],
      cron: "30 8 * * *",
      timeZone: "UTC",
      active: true,
    });
    expect(body.nextRunAt).toMatch(/T08:30:00\.000Z$/);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ["a webhook a cron", { kind: "webhook", name: "x", signature: "none" }, { cron: "* * * * *" }, ["/cron"]],
    [
      "a generic webhook a credential",
      { kind: "webhook", name: "x", signature: "none" },
      { credentialId: randomUUID() },
      ["/credentialId"],
    ],
    ["a schedule a credential", schedule, { credentialId: randomUUID() }, ["/credentialId"]],
    ["a schedule a wrong cron", schedule, { cron: "nonsense" }, ["/cron"]],
    ["nothing", schedule, {}, [""]],
  ])("refuses to give %s", async (_, fields, change, pointers) => {
    const { id } = await create(fields);
    const before = (await ann.browser.get(`${path}/${id}`)).body;
    expect(
      pointersOf(expectProblem(await ann.browser.patch(`${path}/${id}`, change), { code: "validation_failed" })),
    ).toEqual(pointers);
    expect((await ann.browser.get(`${path}/${id}`)).body).toEqual(before);
  });

  it("turns it off and on, as often as one likes", async () => {
    const { id } = await create();
    for (const active of [false, false, true, true]) {
      const { body } = await ann.browser.patch(`${path}/${id}`, { active });
      expect([body.active, body.nextFireTimes.length]).toEqual([active, active ? 5 : 0]);
    }
  });

  it("deletes it", async () => {
    const { id } = await create();
    expect((await ann.browser.delete(`${path}/${id}`)).status).toBe(204);
    expect((await ann.browser.delete(`${path}/${id}`)).status).toBe(404);
    expect((await ann.browser.get(path)).text).not.toContain(id);
  });

  it("survives what happens at the same time", async () => {
    const { id } = await create();
    const changes = Array.from(
      { length: 40 },
      (_, index) =>
        [{ active: index % 8 < 4 }, { cron: `${index} * * * *` }, { name: `n${index}` }, { timeZone: "UTC" }][
          index % 4
        ],
    );
    const statuses = (await Promise.all(changes.map((change) => ann.browser.patch(`${path}/${id}`, change)))).map(
      ({ status }) => status,
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { body } = await ann.browser.patch(`${path}/${id}`, { active: true });
    expect(Number(body.cron.split(" ")[0])).toBe(new Date(body.nextRunAt).getUTCMinutes());
  });
});

describe("trying a trigger", () => {
  const runOf = async (id: string) => (await ann.browser.get(`${workflows.path}/runs/${id}`)).body;

  it("starts what a tick of the schedule would start, also while it is off, and leaves the schedule as it is", async () => {
    const overrides = [{ id: "a", nodeId: "set_fields" }];
    const { id } = await create({ ...schedule, active: false, prompt: "Report", overrides });
    const before = (await ann.browser.get(`${path}/${id}`)).body;
    const { status, body } = await ann.browser.post(`${path}/${id}/test`);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.any(String),
      status: "pending",
      workflowId,
      createdAt: expect.any(String),
      links: {
        self: `${app.platformUrl}${workflows.path}/runs/${body.id}`,
        ui: `${app.platformUrl}/o/${ann.organizationId}/runs/${body.id}`,
      },
    });
    expect(await workflows.ended(body.id)).toMatchObject({ status: "succeeded", result: [{ x: "1" }] });
    expect(await runOf(body.id)).toMatchObject({
      executionType: "schedule",
      triggerId: id,
      userId: ann.userId,
      userName: "Ann",
      overrides,
      trigger: {
        source: "schedule",
        sender: null,
        prompt: "Report",
        payload: { scheduledAt: expect.stringMatching(/Z$/) },
      },
    });
    expect((await ann.browser.get(`${path}/${id}`)).body).toEqual(before);
  });

  it("starts what a delivery to the webhook would start, with the sender and the words it finds in it", async () => {
    const credentialId = await github({ kind: "bearer", accessToken: "ghp_x", webhookSecret: "of-the-hook" });
    const { id } = await create({ kind: "webhook", name: "x", provider: "github", credentialId });
    const payload = { action: "opened", issue: { title: "It is broken" }, sender: { id: 7, login: "octocat" } };
    const { body } = await ann.browser.post(`${path}/${id}/test`, { payload });
    expect(await runOf(body.id)).toMatchObject({
      executionType: "webhook",
      triggerId: id,
      trigger: { source: "github", sender: { id: "7", name: "octocat" }, prompt: "opened: It is broken", payload },
    });
  });

  it("takes a prompt and a payload instead of the trigger's own, and starts a run each time", async () => {
    const { id } = await create({ kind: "webhook", name: "x", signature: "standard", prompt: "Own" });
    const answers = [
      await ann.browser.post(`${path}/${id}/test`, {}),
      await ann.browser.post(`${path}/${id}/test`, { prompt: "Other", payload: [1] }),
      await ann.browser.post(`${path}/${id}/test`, { prompt: "", payload: null }),
    ];
    const seen = await Promise.all(answers.map(async ({ body }) => (await runOf(body.id)).trigger));
    expect(seen.map(({ source, prompt, payload }) => [source, prompt, payload])).toEqual([
      ["webhook", "Own", {}],
      ["webhook", "Other", [1]],
      ["webhook", "", null],
    ]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(3);
  });

  it("is refused as a delivery would be when the workflow is gone or empty, and for a body that says something else", async () => {
    const other = await workflows.save([], [], "Empty");
    const { id } = await create({ ...schedule, workflowId: other });
    const refused = expectProblem(await ann.browser.post(`${path}/${id}/test`, { prompt: 5 }), {
      code: "validation_failed",
    });
    expect(pointersOf(refused)).toEqual(["/prompt"]);
    expectProblem(await ann.browser.post(`${path}/${id}/test`, { overrides: [] }), { code: "validation_failed" });
    expectProblem(await ann.browser.post(`${path}/${id}/test`), { code: "workflow_inactive" });
    await ann.browser.delete(`${workflows.path}/workflows/${other}`);
    expectProblem(await ann.browser.post(`${path}/${id}/test`), { status: 404, code: "not_found" });
  });

  it("does not let a delivery through to a webhook that is off", async () => {
    const { id, webhookUrl } = await create({ kind: "webhook", name: "x", signature: "none", active: false });
    const [tried, delivered] = await Promise.all([
      ann.browser.post(`${path}/${id}/test`),
      fetch(webhookUrl, { method: "POST", body: "{}" }),
    ]);
    expect([tried.status, ((await delivered.json()) as { code: string }).code]).toEqual([202, "trigger_off"]);
  });
});

describe("the list", () => {
  it("shows those of a workflow, without those of deleted workflows", async () => {
    const other = await workflows.save([node("a", "start")], [], "Other");
    const [mine, theirs] = [await create(), await create({ ...schedule, workflowId: other })];
    const listOf = async (query: string) =>
      ((await ann.browser.get(path + query)).body.data as { id: string }[]).map(({ id }) => id);
    expect(await listOf("")).toEqual(expect.arrayContaining([mine.id, theirs.id]));
    expect(await listOf(`?workflowId=${other}`)).toEqual([theirs.id]);
    await ann.browser.delete(`${workflows.path}/workflows/${other}`);
    expect(await listOf(`?workflowId=${other}`)).toEqual([]);
    expect(await listOf("")).not.toContain(theirs.id);
    expectProblem(await ann.browser.get(`${path}?workflowId=x`), { code: "validation_failed" });
  });
});

describe("who may do what", () => {
  it("lets members write and viewers read", async () => {
    const [member, viewer] = await Promise.all([
      signUpMember(app, ann.organizationId, "Mona", "member"),
      signUpMember(app, ann.organizationId, "Vera", "viewer"),
    ]);
    const { status, body } = await member.browser.post(path, { workflowId, ...schedule });
    expect(status).toBe(201);
    const reads = [
      await viewer.browser.get(path),
      await viewer.browser.get(`${path}/${body.id}`),
      await viewer.browser.post(`${workflows.path}/schedule-preview`, { cron: "* * * * *", timeZone: "UTC" }),
    ];
    expect(reads.map((answer) => answer.status)).toEqual([200, 200, 200]);
    const writes = [
      await viewer.browser.post(path, { workflowId, ...schedule }),
      await viewer.browser.patch(`${path}/${body.id}`, { active: false }),
      await viewer.browser.delete(`${path}/${body.id}`),
      await viewer.browser.post(`${path}/${body.id}/regenerate-token`),
      await viewer.browser.post(`${path}/${body.id}/test`),
    ];
    for (const answer of writes) expectProblem(answer, { status: 403, code: "role_required" });
  });

  it("answers a foreign trigger as if it did not exist", async () => {
    const eve = await signUpOwner(app, "Eve");
    const { id } = await create();
    const own = `/api/organizations/${eve.organizationId}/triggers`;
    for (const [method, end, body] of [
      ["GET", ""],
      ["PATCH", "", { active: false }],
      ["DELETE", ""],
      ["POST", "/regenerate-token"],
      ["POST", "/test"],
    ] as const)
      for (const at of [`${own}/${id}${end}`, `${own}/${randomUUID()}${end}`, `${path}/${id}${end}`])
        expect((await eve.browser.send(method, at, body)).status).toBe(404);
    expectProblem(await eve.browser.post(own, { workflowId, ...schedule }), {
      status: 404,
      code: "workflow_not_found",
    });
    expect((await ann.browser.get(`${path}/${id}`)).body.active).toBe(true);
  });
});

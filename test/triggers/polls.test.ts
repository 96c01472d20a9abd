import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { feedOf, type PollApp, startPollApp } from "../support/triggers/poll-app.ts";

let polls: PollApp;

beforeAll(async () => {
  polls = await startPollApp();
});
afterAll(() => polls.stop());

const idsOf = async (triggerId: string) => (await polls.startedBy(triggerId)).map(({ payload }) => payload.id);
const seenBy = async (triggerId: string) =>
  (
    await polls.query<{ id: string }>("SELECT item_id AS id FROM polled_item WHERE trigger_id = $1 ORDER BY 1", [
      triggerId,
    ])
  ).map(({ id }) => id);
const pauseOf = ({ poll }: { poll: { nextPollAt: string } }) => (Date.parse(poll.nextPollAt) - Date.now()) / 1000;
const change = (triggerId: string, wanted: object) => polls.owner.browser.patch(`${polls.path}/${triggerId}`, wanted);

/** A trigger that has made its first look at a feed with these entries. */
async function polling(entries: string[], poll: object = {}, fields: object = {}) {
  polls.feed.script([feedOf(...entries)]);
  const { id } = await polls.create({ ...poll }, { ...fields });
  return await polls.whenLooked(id);
}

describe("what is looked for", () => {
  it("takes nothing of what there was, and each new entry once, with what it says", async () => {
    const { id, poll, lastError } = await polling(["b", "a"]);
    expect([lastError, poll.lastPolledAt]).toEqual([null, expect.stringMatching(/Z$/)]);
    expect(await idsOf(id)).toEqual([]);
    await polls.look(id, feedOf("d", "c", "b", "a"));
    const repeated = await polls.look(id, feedOf("d", "c", "b"));
    expect(await polls.startedBy(id)).toEqual(
      ["c", "d"].map((entry) => ({
        source: "http",
        event: "new_feed_entry",
        prompt: `Entry ${entry}`,
        sender: { name: "ann@example.test" },
        payload: { id: entry, title: `Entry ${entry}`, author: "ann@example.test", url: expect.any(String) },
      })),
    );
    expect(repeated).toMatchObject({
      lastError: null,
      lastRunAt: expect.stringMatching(/Z$/),
      nextFireTimes: [],
      signature: null,
    });
    const [run] = await polls.query<{ kind: string }>("SELECT kind FROM run WHERE trigger_id = $1", [id]);
    expect(run?.kind).toBe("poll");
  });

  it("takes what there was where that is asked for, and not again after it was off", async () => {
    const { id } = await polling(["b", "a"], { takesExisting: true });
    expect(await idsOf(id)).toEqual(["a", "b"]);
    await change(id, { active: false });
    expect((await polls.read(id)).poll.nextPollAt).toBeNull();
    polls.feed.script([feedOf("c", "b", "a")]);
    expect((await change(id, { active: true })).status).toBe(200);
    await polls.whenLooked(id);
    await polls.look(id, feedOf("d", "c", "b", "a"));
    expect(await idsOf(id)).toEqual(["a", "b", "d"]);
  });

  it("gives the trigger's own text instead of what the entry says, and passes over what the filter does not want", async () => {
    const { id } = await polling(["a"], {}, { prompt: "Read this", filter: '$trigger.payload.id != "c"' });
    await polls.look(id, feedOf("c", "b", "a"));
    expect((await polls.startedBy(id)).map(({ prompt, payload }) => [prompt, payload.id])).toEqual([
      ["Read this", "b"],
    ]);
    await change(id, { filter: "" });
    await polls.look(id, feedOf("c", "b", "a"));
    expect(await idsOf(id)).toEqual(["b"]);
  });

  it("keeps an entry whose filter cannot be evaluated, and takes the others", async () => {
    const { id } = await polling([], {}, { filter: '$trigger.payload.id = "b" ? 1 : true' });
    const looked = await polls.look(id, feedOf("c", "b", "a"));
    expect(looked.lastError).toMatch(/The filter must give true or false/);
    expect(await idsOf(id)).toEqual(["a", "c"]);
    await change(id, { filter: "" });
    expect((await polls.look(id, feedOf("c", "b", "a"))).lastError).toBeNull();
    expect(await idsOf(id)).toEqual(["a", "c", "b"]);
  });

  it("keeps an entry whose run is refused until the workflow takes it", async () => {
    const { id } = await polling(["a"]);
    await polls.query("UPDATE workflow SET is_active = false WHERE id = $1", [polls.workflowId]);
    const refused = await polls.look(id, feedOf("b", "a"));
    expect(refused.lastError).toBe("This workflow is turned off.");
    expect([await idsOf(id), await seenBy(id)]).toEqual([[], ["a"]]);
    await polls.query("UPDATE workflow SET is_active = true WHERE id = $1", [polls.workflowId]);
    expect((await polls.look(id, feedOf("b", "a"))).lastError).toBeNull();
    expect(await idsOf(id)).toEqual(["b"]);
  });

  it("begins anew where it looks elsewhere, also with ids that it knew", async () => {
    const { id } = await polling(["1"]);
    await polls.look(id, feedOf("2", "1"));
    polls.feed.script([feedOf("3")]);
    const other = { url: `${polls.feed.url}/other.xml` };
    const { status, body } = await change(id, { poll: { parameters: other } });
    expect([status, body.poll.lastPolledAt, body.poll.parameters]).toEqual([200, null, other]);
    await polls.whenLooked(id);
    expect(await idsOf(id)).toEqual(["2"]);
    await polls.look(id, feedOf("2", "3"));
    expect(await idsOf(id)).toEqual(["2", "2"]);
    const before = await polls.read(id);
    expect((await change(id, { name: "Other", poll: { parameters: other } })).body.poll).toEqual(before.poll);
  });

  it("forgets what was not listed for a month, and nothing that still is", async () => {
    const { id } = await polling(["b", "a"]);
    await polls.query("UPDATE polled_item SET seen_at = now() - interval '31 days' WHERE trigger_id = $1", [id]);
    await polls.query("UPDATE trigger SET last_polled_at = now() - interval '1 day' WHERE id = $1", [id]);
    await polls.look(id, feedOf("b"));
    expect(await seenBy(id)).toEqual(["b"]);
  });

  it("knows an entry with a very long id again", async () => {
    const { id } = await polling([]);
    const long = "x".repeat(3000);
    await polls.look(id, feedOf(long));
    await polls.look(id, feedOf(long));
    expect(await polls.startedBy(id)).toHaveLength(1);
    expect(await seenBy(id)).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
  });
});

describe("the pause between two looks", () => {
  it("grows while nothing is new, up to what is wanted, and is short again after something is", async () => {
    const made = await polling(["a"], { everySeconds: 100 });
    expect(pauseOf(made)).toBeGreaterThan(50);
    expect(pauseOf(made)).toBeLessThan(61);
    expect(pauseOf(await polls.look(made.id, feedOf("a")))).toBeGreaterThan(80);
    expect(pauseOf(await polls.look(made.id, feedOf("a")))).toBeLessThan(101);
    expect(pauseOf(await polls.look(made.id, feedOf("b", "a")))).toBeLessThan(61);
  });

  it("doubles while the service fails, says why without secrets, and waits for as long as the service asks", async () => {
    const data = { authKind: "bearer", secret: "very-secret-token", baseUrl: polls.feed.url };
    const { body: credential } = await polls.owner.browser.post(`${polls.flows.path}/credentials`, {
      type: "http_auth",
      name: "Feed",
      data,
    });
    const { id } = await polling(["a"], {}, { credentialId: credential.id });
    const refused = { status: 400, json: { message: "no very-secret-token here" } };
    const failed = await polls.look(id, refused);
    expect(failed.lastError).toMatch(/400/);
    expect(failed.lastError).not.toContain("very-secret-token");
    expect(polls.feed.requests()[0]?.headers.authorization).toBe("Bearer very-secret-token");
    expect(pauseOf(failed)).toBeGreaterThan(100);
    expect(pauseOf(await polls.look(id, refused))).toBeGreaterThan(220);
    const later = await polls.look(id, { status: 429, headers: { "retry-after": "7200" } });
    expect(pauseOf(later)).toBeGreaterThan(7100);
    await polls.query("UPDATE trigger SET poll_not_before = NULL WHERE id = $1", [id]);
    const mended = await polls.look(id, feedOf("b", "a"));
    expect([mended.lastError, await idsOf(id)]).toEqual([null, ["b"]]);
  });

  it("of one whose service does not answer holds up no other", async () => {
    polls.feed.script([{ hang: true }]);
    const { id } = await polls.create();
    const quick = await polling(["a"]);
    expect((await polls.look(quick.id, feedOf("b", "a"))).lastError).toBeNull();
    await change(id, { active: false });
    expect((await polls.owner.browser.post(`${polls.path}/${id}/poll`, {})).body.code).toBe("trigger_off");
  });
});

describe("what a poll is set up with", () => {
  it("is listed with the form of its parameters", async () => {
    const { status, body } = await polls.owner.browser.get("/api/polls");
    expect(status).toBe(200);
    expect(body.data).toContainEqual({
      id: "new_feed_entry",
      provider: { id: "http", title: "HTTP" },
      title: "New feed entry",
      worksWithoutAccount: true,
      description: expect.any(String),
      credentials: ["http_auth"],
      everySeconds: { least: 60, usual: 900 },
      parametersSchema: expect.objectContaining({ required: ["url"], additionalProperties: false }),
    });
  });

  it("is refused with a pointer to what does not fit", async () => {
    const { asked, parameters } = polls;
    const poll = { event: "new_feed_entry", parameters };
    const cases: [object, string][] = [
      [{}, "/poll"],
      [{ poll, provider: undefined }, "/provider"],
      [{ poll, provider: "system" }, "/provider"],
      [{ poll: { ...poll, event: "new_moon" } }, "/poll/event"],
      [{ poll: { ...poll, parameters: {} } }, "/poll/parameters/url"],
      [{ poll: { ...poll, parameters: { ...parameters, depth: 1 } } }, "/poll/parameters"],
      [{ poll: { ...poll, everySeconds: 59 } }, "/poll/everySeconds"],
      [{ poll: { ...poll, everySeconds: 86_401 } }, "/poll/everySeconds"],
      [{ poll, cron: "* * * * *" }, "/cron"],
      [{ poll, signature: "none" }, "/signature"],
      [{ poll, filter: "1 +" }, "/filter"],
      [{ poll, kind: "webhook", signature: "none", provider: undefined }, "/poll"],
      [{ poll, kind: "schedule", cron: "* * * * *", timeZone: "UTC", provider: undefined }, "/poll"],
    ];
    for (const [fields, pointer] of cases) {
      const { status, body } = await polls.owner.browser.post(polls.path, { ...asked, ...fields });
      expect([status, body.errors?.[0]?.pointer, JSON.stringify(fields)]).toEqual([
        400,
        pointer,
        JSON.stringify(fields),
      ]);
    }
    const { id } = await polls.create({}, { active: false });
    for (const [wanted, pointer] of [
      [{ poll: { everySeconds: 1 } }, "/poll/everySeconds"],
      [{ poll: { parameters: { url: "no" } } }, "/poll/parameters/url"],
      [{ cron: "* * * * *" }, "/cron"],
      [{ events: [] }, "/events"],
    ] as const) {
      const { status, body } = await change(id, wanted);
      expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer]);
    }
    expect((await change(id, { credentialId: randomUUID() })).body.code).toBe("credential_not_accessible");
  });

  it("names the account it looks with where that is used", async () => {
    const data = { authKind: "bearer", secret: "some-token", baseUrl: polls.feed.url };
    const { body } = await polls.owner.browser.post(`${polls.flows.path}/credentials`, {
      type: "http_auth",
      name: "Used",
      data,
    });
    const { id } = await polls.create({}, { credentialId: body.id, active: false });
    const uses = await polls.owner.browser.get(`${polls.flows.path}/credentials/${body.id}/uses`);
    expect(uses.body.triggers).toEqual([{ id, name: "News" }]);
  });
});

describe("trying it out", () => {
  const ask = (fields: object = {}) =>
    polls.owner.browser.post(`${polls.path}/samples`, {
      provider: "http",
      event: "new_feed_entry",
      parameters: polls.parameters,
      ...fields,
    });

  it("shows the newest three entries, and nothing changes by it", async () => {
    polls.feed.script([feedOf("d", "c", "b", "a")]);
    const { status, body } = await ask();
    expect([status, body.items.map(({ id }: { id: string }) => id)]).toEqual([200, ["d", "c", "b"]]);
    expect(body.items[0].payload).toMatchObject({ id: "d", title: "Entry d" });
    polls.feed.script([{ status: 404 }]);
    expect((await ask()).body.code).toBe("provider_error");
    expect((await ask({ parameters: {} })).body.errors[0].pointer).toBe("/parameters/url");
  });

  it("shows samples in a size that a page can show, and says so", async () => {
    const long = (id: string) =>
      `<item><guid>${id}</guid><title>${id}</title><description>${"x".repeat(400_000)}</description></item>`;
    const body = `<rss version="2.0"><channel><title>News</title>${["c", "b", "a"].map(long).join("")}</channel></rss>`;
    const headers = { "content-type": "application/rss+xml" };
    polls.feed.script([{ headers, body }, feedOf("a")]);
    const cut = await ask();
    expect([cut.status, cut.body.truncated, cut.body.items.map(({ id }: { id: string }) => id)]).toEqual([
      200,
      true,
      ["c", "b", "a"],
    ]);
    expect(JSON.stringify(cut.body).length).toBeLessThan(60_000);
    expect((await ask()).body.truncated).toBe(false);
  });

  it("shows nothing of what is gone by now", async () => {
    const data = { accessToken: "ya29", baseUrl: polls.feed.url };
    const { body } = await polls.owner.browser.post(`${polls.flows.path}/credentials`, {
      type: "gmail",
      name: "Mail",
      data,
    });
    polls.feed.script([{ json: { messages: [{ id: "m1" }] } }, { status: 404, json: { error: { code: 404 } } }]);
    const answer = await ask({ provider: "gmail", event: "new_email", parameters: {}, credentialId: body.id });
    expect([answer.status, answer.body.items]).toEqual([200, []]);
  });

  it("starts a run for the newest entry, also while it is off, and notes nothing", async () => {
    const { id } = await polls.create({}, { active: false });
    polls.feed.script([feedOf("b", "a"), feedOf()]);
    expect((await polls.owner.browser.post(`${polls.path}/${id}/test`, {})).status).toBe(202);
    expect(await idsOf(id)).toEqual(["b"]);
    const empty = await polls.owner.browser.post(`${polls.path}/${id}/test`, {});
    expect([empty.status, empty.body.detail]).toEqual([409, "HTTP has nothing there to try it with."]);
    expect((await polls.owner.browser.post(`${polls.path}/${id}/test`, { payload: { id: "mine" } })).status).toBe(202);
    expect([await idsOf(id), await seenBy(id)]).toEqual([["b", "mine"], []]);
  });
});

describe("who may do so", () => {
  it("is a member, and no viewer", async () => {
    const { id } = await polls.create({}, { active: false });
    const viewer = (await signUpMember(polls.app, polls.owner.organizationId, "Vera", "viewer")).browser;
    const sample = { provider: "http", event: "new_feed_entry", parameters: polls.parameters };
    expect((await viewer.get(`${polls.path}/${id}`)).body.poll.event).toBe("new_feed_entry");
    expect((await viewer.post(`${polls.path}/samples`, sample)).status).toBe(403);
    for (const action of ["poll", "retry-items"])
      expect((await viewer.post(`${polls.path}/${id}/${action}`, {})).status).toBe(403);
  });

  it("finds nothing of another organization", async () => {
    const { id } = await polls.create();
    const bob = await signUpOwner(polls.app, "Bob");
    const path = `/api/organizations/${bob.organizationId}/triggers`;
    const before = await polls.read(id);
    for (const action of ["poll", "retry-items"])
      for (const triggerId of [id, randomUUID()])
        expect((await bob.browser.post(`${path}/${triggerId}/${action}`, {})).status).toBe(404);
    expect(
      (await bob.browser.post(`${polls.path}/samples`, { provider: "http", event: "new_feed_entry", parameters: {} }))
        .status,
    ).toBe(404);
    expect((await polls.read(id)).poll.parameters).toEqual(before.poll.parameters);
  });

  it("looks now only while it is on, and only if it looks at all", async () => {
    const { id } = await polls.create({}, { active: false });
    const off = await polls.owner.browser.post(`${polls.path}/${id}/poll`, {});
    expect([off.status, off.body.code]).toEqual([409, "trigger_off"]);
    const hook = await polls.owner.browser.post(polls.path, {
      workflowId: polls.workflowId,
      kind: "webhook",
      name: "H",
      signature: "none",
    });
    expect((await polls.owner.browser.post(`${polls.path}/${hook.body.id}/poll`, {})).body.detail).toBe(
      "Only a poll looks at a service.",
    );
  });
});

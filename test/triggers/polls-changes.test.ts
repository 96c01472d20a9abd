import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { feedOf, type PollApp, startPollApp } from "../support/triggers/poll-app.ts";

let polls: PollApp;

beforeAll(async () => {
  polls = await startPollApp();
});
afterAll(() => polls.stop());
beforeEach(() => polls.query("DELETE FROM trigger"));

const change = (triggerId: string, wanted: object) => polls.owner.browser.patch(`${polls.path}/${triggerId}`, wanted);
const connect = async (type: string, data: object): Promise<string> =>
  (await polls.owner.browser.post(`${polls.flows.path}/credentials`, { type, name: type, data })).body.id;

async function mailPoll(parameters: object) {
  const credentialId = await connect("gmail", { accessToken: "ya29", baseUrl: polls.feed.url });
  const { id } = await polls.create(
    { event: "new_email", parameters },
    { provider: "gmail", credentialId, active: false },
  );
  await polls.query("UPDATE trigger SET poll_mark = 'mark', last_polled_at = now() WHERE id = $1", [id]);
  return id;
}
const markOf = async (id: string) =>
  (await polls.query<{ mark: string | null }>("SELECT poll_mark AS mark FROM trigger WHERE id = $1", [id]))[0]?.mark;

describe("parameters", () => {
  it.each([
    [{}, { labelId: "INBOX" }],
    [{ labelId: "INBOX" }, {}],
  ])("that say the same with what is left out filled in begin nothing anew: %j, %j", async (before, after) => {
    const id = await mailPoll(before);
    expect((await change(id, { poll: { parameters: after } })).body.poll.lastPolledAt).not.toBeNull();
    expect(await markOf(id)).toBe("mark");
    expect((await change(id, { poll: { parameters: { labelId: "SPAM" } } })).body.poll.lastPolledAt).toBeNull();
    expect(await markOf(id)).toBeNull();
  });
});

describe("the account of a poll", () => {
  it("is taken away where the service works without, and begins anew", async () => {
    const credentialId = await connect("http_auth", {
      authKind: "bearer",
      secret: "some-token",
      baseUrl: polls.feed.url,
    });
    polls.feed.script([feedOf("a"), feedOf("a")]);
    const { id } = await polls.create({}, { credentialId });
    await polls.whenLooked(id);
    const { status, body } = await change(id, { credentialId: null });
    expect([status, body.credentialId, body.poll.lastPolledAt]).toEqual([200, null, null]);
    await polls.whenLooked(id);
    expect(polls.feed.requests().map(({ headers }) => headers.authorization)).toEqual(["Bearer some-token", undefined]);
  });

  it("stays where the service needs one, and of what is no poll", async () => {
    const id = await mailPoll({});
    const needed = await change(id, { credentialId: null });
    expect([needed.status, needed.body.errors[0]]).toEqual([400, { pointer: "/credentialId", detail: "is required" }]);
    const telegram = await connect("telegram_bot", { botToken: "77:x", webhookSecret: "some-secret" });
    for (const fields of [
      { kind: "webhook", provider: "telegram", credentialId: telegram },
      { kind: "webhook", signature: "none" },
      { kind: "schedule", cron: "0 * * * *", timeZone: "UTC" },
    ]) {
      const made = await polls.owner.browser.post(polls.path, {
        workflowId: polls.workflowId,
        name: "Other",
        ...fields,
      });
      expect([made.status, made.body.detail]).toEqual([201, undefined]);
      const answer = await change(made.body.id, { credentialId: null });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, "/credentialId"]);
    }
  });
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedOf, type PollApp, startPollApp } from "../support/triggers/poll-app.ts";

let polls: PollApp;

beforeAll(async () => {
  polls = await startPollApp();
});
afterAll(() => polls.stop());

const change = (triggerId: string, wanted: object) => polls.owner.browser.patch(`${polls.path}/${triggerId}`, wanted);

describe("a service that asks to be left alone", () => {
  const busy = { status: 429, headers: { "retry-after": "7200" } };
  const lookNow = (id: string, action = "poll") => polls.owner.browser.post(`${polls.path}/${id}/${action}`, {});

  it("is left alone also when somebody wants to look now, and says until when", async () => {
    polls.feed.script([busy]);
    const { id } = await polls.create();
    const { poll } = await polls.whenLooked(id);
    for (const action of ["poll", "retry-items"]) {
      const { status, body, headers } = await lookNow(id, action);
      expect([status, body.code]).toEqual([429, "rate_limited"]);
      expect(body.detail).toMatch(
        /^The service asked to be left alone until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\. The poll looks then by itself\.$/,
      );
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(7000);
    }
    expect((await polls.read(id)).poll.nextPollAt).toBe(poll.nextPollAt);
    await change(id, { active: false });
    expect((await lookNow(id)).body.code).toBe("trigger_off");
    expect((await change(id, { active: true })).body.poll.nextPollAt).toBe(poll.nextPollAt);
    expect((await change(id, { poll: { everySeconds: 60 } })).body.poll.nextPollAt).toBe(poll.nextPollAt);
  });

  it("is asked again after that time, and at another place at once", async () => {
    polls.feed.script([busy]);
    const { id } = await polls.create();
    await polls.whenLooked(id);
    await polls.query("UPDATE trigger SET poll_not_before = now() - interval '1 second' WHERE id = $1", [id]);
    expect((await polls.look(id, feedOf("a"))).lastError).toBeNull();
    await polls.look(id, busy);
    polls.feed.script([feedOf("b")]);
    await change(id, { poll: { parameters: { url: `${polls.feed.url}/${randomUUID()}.xml` } } });
    expect((await polls.whenLooked(id)).lastError).toBeNull();
  });
});

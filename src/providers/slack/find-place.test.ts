import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { action as getChannelHistory } from "./get_channel_history.ts";
import { action as sendMessage } from "./send_message.ts";

let slack: FakeProvider;
beforeAll(async () => {
  slack = await startFakeProvider();
});
afterAll(() => slack.stop());

const credential = () => ({ kind: "bearer", accessToken: "xoxb-secret", baseUrl: slack.url });
const send = (channel: string, answers: Answer[]) => {
  slack.script(answers);
  return callTool(sendMessage, { input: { channel, text: "Hi" }, credential: credential() });
};
const read = (channel: string, answers: Answer[]) => {
  slack.script(answers);
  return callTool(getChannelHistory, { input: { channel }, credential: credential() });
};

const ok = (json: object): Answer => ({ json: { ok: true, ...json } });
const refused = (error: string, others: object = {}): Answer => ({ json: { ok: false, error, ...others } });
const channels = (names: Record<string, string>, next = "") =>
  ok({ channels: Object.entries(names).map(([name, id]) => ({ id, name })), response_metadata: { next_cursor: next } });
const people = (members: object[], next = "") => ok({ members, response_metadata: { next_cursor: next } });
const posted = ok({ ts: "1.2", channel: "D1" });
const messages = ok({ messages: [{ ts: "1" }] });
const paths = () => slack.requests().map(({ path }) => path.replace(/\?.*/, ""));
const asked = (name: string) =>
  slack.requests().flatMap(({ path, body, method }) => {
    const value =
      method === "POST" ? JSON.parse(body.toString())[name] : new URL(path, slack.url).searchParams.get(name);
    return value === null || value === undefined ? [] : [value];
  });

describe("a channel of Slack by its name", () => {
  it.each(["#general", "general", " #general "])("is found to read %j, over pages", async (name) => {
    expect(await read(name, [channels({ random: "C1" }, "more"), channels({ general: "C2" }), messages])).toEqual([
      { ts: "1" },
    ]);
    expect(paths()).toEqual(["/conversations.list", "/conversations.list", "/conversations.history"]);
    expect(asked("channel")).toEqual(["C2"]);
    expect(asked("cursor")).toEqual(["more"]);
  });

  it("is read without being looked for when it is an id", async () => {
    await read("C0123ABCD", [messages]);
    expect(paths()).toEqual(["/conversations.history"]);
  });

  it("is posted to as Slack takes it, and looked for only when Slack does not know it so", async () => {
    await send("#general", [posted]);
    expect([paths(), asked("channel")]).toEqual([["/chat.postMessage"], ["#general"]]);
    await send("secret-plans", [refused("channel_not_found"), channels({ "secret-plans": "G1" }), posted]);
    expect([paths(), asked("channel")]).toEqual([
      ["/chat.postMessage", "/conversations.list", "/chat.postMessage"],
      ["#secret-plans", "G1"],
    ]);
  });

  it.each(["read", "send"])("that is not there is said to be missing (%s)", async (how) => {
    const says =
      "channel names #nowhere, but Slack shows the app no channel of that name. A private one has to invite the app first";
    const outcome =
      how === "read"
        ? read("#nowhere", [channels({ general: "C2" })])
        : send("#nowhere", [refused("channel_not_found"), channels({})]);
    await expect(outcome).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/channel" }],
      message: `${says}.`,
    });
  });

  it("is looked for among public ones where the account may see no others, and the scope is named when it is not there", async () => {
    const lacks = refused("missing_scope", { needed: "groups:read", provided: "channels:read" });
    expect(await read("general", [lacks, channels({ general: "C2" }), messages])).toHaveLength(1);
    expect(asked("types")).toEqual(["public_channel,private_channel", "public_channel"]);
    await expect(read("general", [lacks, channels({})])).rejects.toThrow("the scope groups:read is needed");
    await expect(read("general", [lacks, refused("missing_scope", { needed: "channels:read" })])).rejects.toThrow(
      "the scope channels:read is needed",
    );
  });

  it("is not looked for without end", async () => {
    const endless = Array.from({ length: 40 }, (_, page) => channels({ [`c${page}`]: "C1" }, `page ${page}`));
    await expect(read("general", endless)).rejects.toThrow(/is not among the first [\d,]+ channels.*Give its id/);
    expect(slack.requests().length).toBeLessThanOrEqual(10);
  });
});

describe("a person of Slack", () => {
  const ann = { id: "U1", name: "ann", real_name: "Ann Example", profile: { display_name: "Annie" } };

  it.each(["@ann", "@Annie", "@ann example"])("is found as %j, over pages", async (name) => {
    const others = [
      { id: "U2", name: "bob" },
      { ...ann, id: "U3", deleted: true },
    ];
    expect(await send(name, [people(others, "more"), people([ann]), posted])).toEqual([{ ts: "1.2", channel: "D1" }]);
    expect([paths(), asked("channel")]).toEqual([["/users.list", "/users.list", "/chat.postMessage"], ["U1"]]);
  });

  it("is found by email", async () => {
    await send("ann@example.test", [ok({ user: ann }), posted]);
    expect([paths(), asked("channel"), asked("email")]).toEqual([
      ["/users.lookupByEmail", "/chat.postMessage"],
      ["U1"],
      ["ann@example.test"],
    ]);
  });

  it("whom the handle names comes before who only calls himself so; two of the same name are not guessed between", async () => {
    const poser = { id: "U9", name: "eve", profile: { display_name: "ann" } };
    await send("@ann", [people([poser, ann]), posted]);
    expect(asked("channel")).toEqual(["U1"]);
    const second = { id: "U4", name: "ann2", profile: { display_name: "annie" } };
    await expect(send("@Annie", [people([ann, second])])).rejects.toThrow(
      "channel names @Annie, and 2 people are called so: U1, U4.",
    );
    expect(paths()).toEqual(["/users.list"]);
  });

  it("who is not there, or may not be seen, is said to be", async () => {
    await expect(send("@nobody", [people([ann])])).rejects.toThrow(
      "channel names @nobody, but Slack shows the app nobody of that name.",
    );
    await expect(send("x@example.test", [refused("users_not_found")])).rejects.toMatchObject({
      code: "validation_failed",
      message: "channel names x@example.test, but Slack shows the app nobody with that email.",
    });
    await expect(send("x@example.test", [refused("missing_scope", { needed: "users:read.email" })])).rejects.toThrow(
      "the scope users:read.email is needed",
    );
  });
});

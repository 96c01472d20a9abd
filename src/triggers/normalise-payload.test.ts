import { describe, expect, it } from "vitest";
import { normalisePayload } from "./normalise-payload.ts";
import { deliveryOf } from "./provider-deliveries.ts";
import { deliveringProviders } from "./wire.ts";

const read = (body: string | Buffer, contentType?: string) =>
  normalisePayload({
    headers: contentType === undefined ? {} : { "content-type": contentType },
    body: Buffer.from(body),
  });

describe("what was delivered", () => {
  it.each<[string, string | undefined, unknown]>([
    ['{"a":[1]}', "application/json", { a: [1] }],
    ['{"a":[1]}', "application/vnd.github+json; charset=utf-8", { a: [1] }],
    ['{"a":[1]}', undefined, { a: [1] }],
    ['{"id":9007199254740993,"n":1e400}', "application/json", { id: "9007199254740993", n: "1e400" }],
    ["a=1&b=x+y&a=2", "application/x-www-form-urlencoded", { a: ["1", "2"], b: "x y" }],
    ['payload={"x":1}&t={no', "application/x-www-form-urlencoded; charset=utf-8", { payload: { x: 1 }, t: "{no" }],
    ["", undefined, { text: "" }],
    ["<a/>", "application/xml", { text: "<a/>" }],
    ["{half", "application/json", { text: "{half" }],
    ["a\0b", "text/plain", { text: "a\ufffdb" }],
    ["a=x%00y", "application/x-www-form-urlencoded", { a: "x\ufffdy" }],
    ['{"__proto__":{"x":1}}', "application/json", { text: '{"__proto__":{"x":1}}' }],
    ['{"a":"\\u0000"}', "application/json", { text: '{"a":"\\u0000"}' }],
    [`${"[".repeat(5000)}`, "application/json", { text: "[".repeat(5000) }],
  ])("%j as %s is read and can be stored", (body, contentType, expected) => {
    expect(read(body, contentType)).toEqual(expected);
  });

  it("may be bytes that are no text", () => {
    expect(read(Buffer.from([0xff, 0xfe, 0x00]), "image/png")).toEqual({ text: "\ufffd\ufffd\ufffd" });
  });
});

describe("sender and prompt", () => {
  const whatsapp = (value: object) => ({ entry: [{ changes: [{ field: "messages", value }] }] });
  it.each<[string, unknown, string | null, [prompt: string, sender: unknown]]>([
    [
      "slack",
      { event: { type: "app_mention", user: "U1", text: "hello" } },
      "app_mention",
      ["hello", { id: "U1", name: undefined }],
    ],
    [
      "slack",
      { command: "/ask", text: "why", user_id: "U2", user_name: "ann" },
      "/ask",
      ["why", { id: "U2", name: "ann" }],
    ],
    [
      "slack",
      { payload: { user: { id: "U3", username: "bob" }, actions: [{ value: "yes" }] } },
      null,
      ["yes", { id: "U3", name: "bob" }],
    ],
    [
      "discord",
      {
        type: 2,
        data: { name: "ask", options: [{ name: "q", value: "why" }] },
        member: { user: { id: "1", username: "ann" } },
      },
      "application_command",
      ["why", { id: "1", name: "ann" }],
    ],
    [
      "discord",
      { type: 2, data: { name: "ping" }, user: { id: "2", username: "bob" } },
      null,
      ["ping", { id: "2", name: "bob" }],
    ],
    [
      "telegram",
      { message: { text: "hi", from: { id: 7, username: "ann" } } },
      "message",
      ["hi", { id: "7", name: "ann" }],
    ],
    [
      "telegram",
      { callback_query: { data: "yes", from: { id: 8, first_name: "Bob" } } },
      null,
      ["yes", { id: "8", name: "Bob" }],
    ],
    [
      "whatsapp",
      whatsapp({ contacts: [{ profile: { name: "Ann" } }], messages: [{ from: "49", text: { body: "hey" } }] }),
      "messages",
      ["hey", { id: "49", name: "Ann" }],
    ],
    [
      "github",
      {
        action: "opened",
        issue: { title: "It breaks" },
        repository: { full_name: "a/b" },
        sender: { id: 1, login: "ann" },
      },
      "issues",
      ["issues opened a/b: It breaks", { id: "1", name: "ann" }],
    ],
    ["github", { repository: { full_name: "a/b" } }, "ping", ["ping a/b", { id: undefined, name: undefined }]],
    ["stripe", { data: { object: { id: "ch_1" } } }, "charge.refunded", ["charge.refunded ch_1", undefined]],
  ])("of %s are found in %j", (provider, payload, event, [prompt, sender]) => {
    const special = deliveryOf(provider);
    expect(special?.prompt(payload, event)).toBe(prompt);
    expect(special?.sender?.(payload)).toEqual(sender);
  });

  it.each(deliveringProviders)("of %s survive whatever is sent", (provider) => {
    for (const payload of [
      null,
      5,
      "x",
      [],
      {},
      { message: 5, event: [], entry: {}, data: { options: 3 }, payload: "x" },
    ]) {
      expect(() => deliveryOf(provider)?.prompt(payload, null)).not.toThrow();
      expect(() => deliveryOf(provider)?.sender?.(payload)).not.toThrow();
    }
  });
});

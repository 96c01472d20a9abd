import { describe, expect, it } from "vitest";
import type { PollEntry } from "../../../src/catalog/wire.ts";
import { describeKept, describeParameters, describePoll } from "./poll-words.ts";

const entry: PollEntry = {
  id: "new_email",
  provider: { id: "gmail", title: "Gmail" },
  title: "New email",
  description: "",
  credentials: ["gmail"],
  worksWithoutAccount: false,
  everySeconds: { least: 60, usual: 300 },
  parametersSchema: {
    type: "object",
    properties: {
      search: { type: "string" },
      labelIds: { type: "array", title: "Labels", items: { type: "string" } },
      unreadOnly: { type: "boolean" },
      password: { type: "string", format: "password" },
      rule: { type: "object", properties: { of: { type: "string" } } },
    },
  },
};
const poll = {
  event: "new_email",
  everySeconds: null,
  takesExisting: false,
  lastPolledAt: null,
  nextPollAt: null,
  faultyItems: { waiting: 0, givenUp: 0, lastFault: null },
};

describe("what a poll looks for", () => {
  it("begins with the service, and keeps names that are written in capitals", () => {
    expect(describePoll(entry)).toBe("Gmail: new email");
    expect(describePoll({ ...entry, title: "RSS entry" })).toBe("Gmail: RSS entry");
  });

  it("says what is set in the order of the form, and no secret", () => {
    const parameters = {
      unreadOnly: true,
      labelIds: ["INBOX", "Bills"],
      search: "",
      password: "hush",
      rule: { of: "Ann" },
    };
    expect(describeParameters(entry, { ...poll, parameters })).toEqual([
      "Labels: INBOX, Bills",
      "Unread only: yes",
      'Rule: {"of":"Ann"}',
    ]);
    expect(describeParameters(entry, { ...poll, parameters: { search: "x".repeat(500) } })[0]).toHaveLength(
      "Search: ".length + 121,
    );
  });
});

it("says how many items could not be taken", () => {
  expect(describeKept({ waiting: 1, givenUp: 0 })).toBe("1 item could not be taken and is tried again.");
  expect(describeKept({ waiting: 2, givenUp: 1 })).toBe(
    "2 items could not be taken and are tried again. 1 item was given up.",
  );
  expect(describeKept({ waiting: 0, givenUp: 1200 })).toBe("1,200 items were given up.");
});

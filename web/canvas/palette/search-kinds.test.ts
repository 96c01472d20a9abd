import { expect, it } from "vitest";
import type { NodeKind } from "../../catalog.ts";
import { offeredStarts } from "../triggers/trigger-kinds.ts";
import { type PickerEntry, type Section, searchEntries } from "./search-kinds.ts";
import { startEntry } from "./start-entry.ts";

type Given = Partial<Pick<PickerEntry, "description" | "needsAccount">> & { provider?: string; synonyms?: string[] };

function entry(id: string, title: string, section: Section, given: Given = {}): PickerEntry {
  const { provider, synonyms = [], description = "", needsAccount = false } = given;
  const kind: NodeKind = {
    id,
    title,
    description,
    synonyms,
    section: section === "yours" ? "logic" : section,
    credentials: [],
    alsoTakes: [],
    worksWithoutAccount: true,
    inputSchema: {},
    outputSchema: null,
    ways: ["out"],
    hints: null,
    provider: provider === undefined ? null : { id: provider.toLowerCase(), title: provider },
  };
  return { id, kind, title, origin: provider, description, synonyms, section, needsAccount };
}

const entries = [
  entry("slack_send_message", "Send message", "apps", { provider: "Slack", needsAccount: true }),
  entry("gmail_send", "Send email", "apps", { provider: "Gmail", description: "Sends a message to people." }),
  entry("condition", "Condition", "logic", { synonyms: ["if", "branch"], description: "Sends items one way." }),
  entry("note", "Note", "apps", { provider: "Notes", description: "What to do if it rains." }),
  entry("ai_answer", "AI answer", "ai", { synonyms: ["llm", "agent"] }),
  entry("call_workflow:1", "Ask for details", "yours"),
];
const shown = (text: string, more: { section?: Section; recent?: string[] } = {}) =>
  searchEntries(entries, { text, section: more.section, recent: more.recent ?? [] }).map(
    ({ title, entries: found }) => [title, found.map(({ id }) => id)],
  );

it("shows everything by section, usable ones first", () => {
  expect(shown("")).toEqual([
    ["Logic", ["condition"]],
    ["AI", ["ai_answer"]],
    ["Apps", ["gmail_send", "note", "slack_send_message"]],
    ["Yours", ["call_workflow:1"]],
  ]);
});

it("shows what was used last before the sections, and no entry twice", () => {
  expect(shown("", { recent: ["note", "gone", "condition"] }).slice(0, 3)).toEqual([
    ["Recently used", ["note", "condition"]],
    ["AI", ["ai_answer"]],
    ["Apps", ["gmail_send", "slack_send_message"]],
  ]);
});

it("puts what is named so first, whatever its section, and what only speaks of it behind", () => {
  expect(shown("message")).toEqual([
    ["Best fits", ["slack_send_message"]],
    ["Apps", ["gmail_send"]],
  ]);
  expect(shown("slack send")).toEqual([["Best fits", ["slack_send_message"]]]);
  expect(shown("slack email")).toEqual([]);
});

it("finds a node by another word for it and says which, before those that only speak of it", () => {
  expect(shown("if")).toEqual([
    ["Best fits", ["condition"]],
    ["Apps", ["note"]],
  ]);
  const [best] = searchEntries(entries, { text: "agent", section: undefined, recent: [] });
  expect(best?.entries[0]?.also).toBe("agent");
});

it("takes the middle of a word for no good fit", () => {
  const modify = entry("gmail_modify", "Modify labels", "apps", { provider: "Gmail" });
  const groups = searchEntries([modify, ...entries], { text: "if", section: undefined, recent: [] });
  expect(groups[0]?.entries.map(({ id }) => id)).toEqual(["condition"]);
});

it("offers what starts a workflow, by other words too", () => {
  const starts = offeredStarts.map((start) => startEntry(start));
  const found = (text: string) =>
    searchEntries([...entries, ...starts], { text, section: undefined, recent: [] })[0]?.entries[0];
  expect(found("cron")).toMatchObject({ id: "start:schedule", section: "trigger", also: "cron" });
  expect(found("hook")).toMatchObject({ id: "start:webhook" });
  expect(found("mcp")).toMatchObject({ id: "start:tool", also: "mcp" });
  expect(found("stripe")).toMatchObject({ id: "start:app" });
  expect(found("sub workflow")).toMatchObject({ id: "start:workflow" });
});

it("keeps to a section, and counts what it has of all", () => {
  expect(shown("", { section: "ai" })).toEqual([["AI", ["ai_answer"]]]);
  const groups = searchEntries(entries, { text: "to", section: undefined, recent: [] });
  expect(groups.find(({ title }) => title === "Apps")?.count).toBe("2 of 3");
});

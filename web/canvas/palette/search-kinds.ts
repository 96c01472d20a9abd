import type { NodeKind } from "../../catalog.ts";
import { beginsWord, rankText, wellNamed, wordsOf } from "../../parts/rank-text.ts";
import type { OfferedStart } from "../triggers/trigger-kinds.ts";

type Entry = {
  id: string;
  title: string;
  /** The service it belongs to, in words. */
  origin?: string | undefined;
  description: string;
  synonyms: readonly string[];
  section: Section;
  /** No account that it could use. */
  needsAccount: boolean;
  /** The other word for it that was searched for. */
  also?: string;
};

/** A kind of node, or a workflow of one's own that is called. */
export type NodeEntry = Entry & { kind: NodeKind; parameters?: Record<string, unknown> };
/** One thing to add: a node, or what starts the workflow. */
export type PickerEntry = NodeEntry | (Entry & { start: OfferedStart });

export const sections = {
  trigger: "Trigger",
  logic: "Logic",
  data: "Data",
  ai: "AI",
  apps: "Apps",
  yours: "Yours",
} as const;
export type Section = keyof typeof sections;
const sectionOrder = Object.keys(sections) as Section[];

/** `count`: how many of all of its section, such as "2 of 66". */
export type PickerGroup = { title: string; entries: PickerEntry[]; count?: string };

type Search = { text: string; section: Section | undefined; recent: readonly string[] };

const mostBest = 5;
const mostRecent = 5;

/** Best fits across all sections, what was used last, then the rest by section; usable ones before those that need an account. */
export function searchEntries(all: readonly PickerEntry[], { text, section, recent }: Search): PickerGroup[] {
  const words = wordsOf(text);
  const ranked = all
    .map((entry) => ({ entry: withAlso(entry, words), rank: rankOf(entry, words) }))
    .filter(({ entry, rank }) => rank > 0 && (section === undefined || entry.section === section))
    .toSorted((one, other) => other.rank - one.rank || entryOrder(one.entry, other.entry));
  const best = words.length === 0 ? [] : ranked.filter(({ rank }) => rank >= wellNamed).slice(0, mostBest);
  const taken = new Set(best.map(({ entry }) => entry.id));
  const others = ranked.map(({ entry }) => entry).filter(({ id }) => !taken.has(id));
  const used = recent.flatMap((id) => others.find((entry) => entry.id === id) ?? []).slice(0, mostRecent);
  const rest = others.filter((entry) => !used.includes(entry));
  const bySection = sectionOrder.map((name) => ({
    title: sections[name],
    entries: rest.filter((entry) => entry.section === name),
    count: countOf(all, ranked, name),
  }));
  return [
    { title: "Best fits", entries: best.map(({ entry }) => entry) },
    { title: "Recently used", entries: used },
    ...bySection,
  ].filter(({ entries }) => entries.length > 0);
}

function countOf(all: readonly PickerEntry[], found: { entry: PickerEntry }[], section: Section): string {
  const total = all.filter((entry) => entry.section === section).length;
  const count = found.filter(({ entry }) => entry.section === section).length;
  return count === total ? String(total) : `${count} of ${total}`;
}

/** 0: does not fit. */
const rankOf = ({ origin = "", title, description, id, synonyms }: PickerEntry, words: string[]): number =>
  rankText(
    {
      title: title.toLowerCase(),
      synonyms: synonyms.map((synonym) => synonym.toLowerCase()),
      named: `${origin} ${id}`.toLowerCase(),
      said: description.toLowerCase(),
    },
    words,
  );

/** A hit by another word says so, or the search would look broken. */
function withAlso(entry: PickerEntry, words: string[]): PickerEntry {
  const shown = `${entry.title} ${entry.origin ?? ""} ${entry.description}`.toLowerCase();
  if (words.every((word) => shown.includes(word))) return entry;
  const hit = entry.synonyms.find((synonym) => words.some((word) => beginsWord(synonym.toLowerCase(), word)));
  return hit === undefined ? entry : { ...entry, also: hit };
}

const entryOrder = (one: PickerEntry, other: PickerEntry): number =>
  Number(one.needsAccount) - Number(other.needsAccount) ||
  (one.origin ?? "").localeCompare(other.origin ?? "") ||
  one.title.localeCompare(other.title);

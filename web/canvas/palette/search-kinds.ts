import type { NodeKind } from "../../catalog.ts";

export type KindGroup = { title: string; kinds: NodeKind[] };

const builtIn = "Built in";

/** Kinds in which all words occur, grouped by provider; groups and kinds whose title fits best come first. */
export function searchKinds(kinds: Iterable<NodeKind>, text: string): KindGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [...kinds].map((kind) => ({ kind, rank: rankOf(kind, words) })).filter(({ rank }) => rank > 0);
  const ordered = found.toSorted((one, other) => other.rank - one.rank || titleOrder(one.kind, other.kind));
  const groups = Map.groupBy(ordered, ({ kind }) => kind.provider?.title ?? builtIn);
  const list = [...groups].map(([title, entries]) => ({
    title,
    kinds: entries.map(({ kind }) => kind),
    rank: entries[0]?.rank ?? 0,
  }));
  return list.toSorted((one, other) => other.rank - one.rank || groupOrder(one.title, other.title));
}

/** 0: does not fit. */
function rankOf(kind: NodeKind, words: string[]): number {
  const title = kind.title.toLowerCase();
  const origin = (kind.provider?.title ?? builtIn).toLowerCase();
  const synonyms = kind.synonyms.join(" ").toLowerCase();
  const all = `${title} ${origin} ${kind.id} ${synonyms} ${kind.description}`.toLowerCase();
  if (!words.every((word) => all.includes(word))) return 0;
  if (words.length === 0) return 1;
  if (title.startsWith(words.join(" "))) return 5;
  if (words.every((word) => title.includes(word))) return 4;
  if (words.every((word) => `${origin} ${title} ${kind.id} ${synonyms}`.includes(word))) return 3;
  return 2;
}

const titleOrder = (one: NodeKind, other: NodeKind) =>
  Number(other.id === "start") - Number(one.id === "start") || one.title.localeCompare(other.title);
const groupOrder = (one: string, other: string) =>
  Number(other === builtIn) - Number(one === builtIn) || one.localeCompare(other);

import type { PickGroup } from "../../parts/pick-list.tsx";
import { rankText, wordsOf } from "../../parts/rank-text.ts";
import { type Kind, kinds, type Place } from "./place.ts";

type Search = {
  text: string;
  /** The only kind that is shown. */
  only: Kind | undefined;
  /** What was used last, the newest first. */
  recent: readonly Place[];
  /** Kinds whose places the server has chosen already. */
  chosen: readonly Kind[];
};

const mostOfKind = 5;
const mostOfOnly = 30;
const mostRecent = 5;
const mostUsual = 3;

const signs: Record<string, Kind> = { ">": "action", "#": "run" };

/** `>` is for what one can do, `#` for runs; the rest is what is looked for. */
export function readSign(text: string): { kind: Kind | undefined; rest: string } {
  const kind = signs[text.trimStart().charAt(0)];
  return { kind, rest: kind ? text.trimStart().slice(1).trim() : text.trim() };
}

/** What was used last comes first, then by kind; without a text only that, and a few things to do. */
export function searchPlaces(all: readonly Place[], { text, only, recent, chosen }: Search): PickGroup<Place>[] {
  const { kind: signed, rest } = readSign(text);
  const kind = signed ?? only;
  const words = wordsOf(rest);
  const fits = (place: Place) => (kind === undefined || place.kind === kind) && rankOf(place, words) > 0;
  const used = signed ? [] : recent.filter(fits).slice(0, mostRecent);
  const taken = new Set(used.map(({ id }) => id));
  const ofKind = (one: Kind): Place[] => {
    const places = all.filter((place) => place.kind === one && !taken.has(place.id));
    if (chosen.includes(one)) return places;
    return places
      .map((place) => ({ place, rank: rankOf(place, words) }))
      .filter(({ rank }) => rank > 0)
      .toSorted((first, second) => second.rank - first.rank)
      .map(({ place }) => place);
  };
  const isEmpty = rest === "" && kind === undefined;
  const groups = (Object.keys(kinds) as Kind[])
    .filter((one) => (kind === undefined ? !isEmpty || one === "action" : one === kind))
    .map((one) => ({
      title: kinds[one],
      entries: ofKind(one).slice(0, kind === undefined ? (isEmpty ? mostUsual : mostOfKind) : mostOfOnly),
    }));
  return [{ title: "Last used", entries: used }, ...groups].filter(({ entries }) => entries.length > 0);
}

const rankOf = ({ title, detail, synonyms }: Place, words: readonly string[]): number =>
  rankText({ title: title.toLowerCase(), synonyms, said: detail.toLowerCase() }, words);

import { browserStorage } from "../../browser-storage.ts";
import { type Kind, kinds } from "./place.ts";

const most = 12;

type Whose = { userId: string; organizationId: string };

/** What was opened: enough to show it again before the server is asked. */
export type RecentPlace = { id: string; kind: Kind; title: string; detail: string; link: string };

const keyOf = ({ userId, organizationId }: Whose) => `switchyard.recent-places.${userId}.${organizationId}` as const;

/** What a person opened last in this browser, the newest first. */
export function readRecentPlaces(whose: Whose): RecentPlace[] {
  try {
    const read: unknown = JSON.parse(browserStorage.read(keyOf(whose)) ?? "[]");
    return Array.isArray(read) ? read.filter(isRecentPlace) : [];
  } catch {
    return [];
  }
}

export function noteRecentPlace(whose: Whose, place: RecentPlace): void {
  const others = readRecentPlaces(whose).filter(({ id }) => id !== place.id);
  browserStorage.write(keyOf(whose), JSON.stringify([place, ...others].slice(0, most)));
}

const isRecentPlace = (value: unknown): value is RecentPlace =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  String(value.kind) in kinds &&
  ["id", "kind", "title", "detail", "link"].every(
    (name) => typeof (value as Record<string, unknown>)[name] === "string",
  );

import { browserStorage } from "../../browser-storage.ts";

const key = "switchyard.recent-nodes";
const most = 8;

/** What was added last in this browser, the newest first. */
export function readRecent(): string[] {
  try {
    const read: unknown = JSON.parse(browserStorage.read(key) ?? "[]");
    return Array.isArray(read) ? read.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function noteRecent(id: string): void {
  browserStorage.write(key, JSON.stringify([id, ...readRecent().filter((other) => other !== id)].slice(0, most)));
}

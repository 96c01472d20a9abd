/** Small preferences of this browser. Without storage (blocked, private mode) they are simply not kept. */
export const browserStorage = {
  read(key: StorageKey): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  write(key: StorageKey, value: string | null): void {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch {
      // Nothing depends on the value being kept.
    }
  },
};

type StorageKey =
  | "switchyard.theme"
  | "switchyard.organization"
  | "switchyard.menu"
  | "switchyard.recent-nodes"
  | `switchyard.recent-places.${string}`
  | `switchyard.arranged.${string}`
  | `switchyard.draft.${string}`;

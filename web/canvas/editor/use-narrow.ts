import { useSyncExternalStore } from "react";

const query = matchMedia("(max-width: 767px)");

/** Whether the screen is that of a telephone, where pages are for reading. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}

function subscribe(listener: () => void): () => void {
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

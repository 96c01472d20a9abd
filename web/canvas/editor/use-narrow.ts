import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 767px)");
const wide = matchMedia("(min-width: 1280px) and (min-height: 640px)");

/** Whether the screen is that of a telephone, where pages are for reading. */
export const useNarrow = (): boolean => useMatches(narrow);

/** Whether a canvas has more room beside it than below it: flows run from left to right. */
export const useWide = (): boolean => useMatches(wide);

function useMatches(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
}

import { useState } from "react";

const step = 100;

/** How many of `total` are shown, and the button that shows more of them. */
export function useShowMore(total: number, first = step) {
  const [shown, setShown] = useState(first);
  const left = total - shown;
  const button = left > 0 && (
    <button
      type="button"
      onClick={() => setShown(shown + step)}
      className="min-h-8 rounded-md px-2 text-sm font-medium text-accent hover:bg-hover"
    >
      Show {Math.min(step, left)} more of {left}
    </button>
  );
  return { shown: Math.min(shown, total), button };
}

import { useState } from "react";

/** The first try to close what is shown only once says so; the second closes. */
export function useGuardedClose(guarded: boolean, onClose: () => void) {
  const [warned, setWarned] = useState(false);
  return {
    warned,
    close() {
      if (guarded && !warned) setWarned(true);
      else onClose();
    },
  };
}

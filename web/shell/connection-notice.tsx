import { type Query, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useSyncExternalStore } from "react";
import { Button } from "../parts/button.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { isPassing } from "../problem.ts";

const askAgainMs = 3_000;

/** Says when what is on the page could not be brought up to date, and goes away by itself when the server is back. */
export function ConnectionNotice() {
  const queryClient = useQueryClient();
  const subscribe = useCallback(
    (listener: () => void) => queryClient.getQueryCache().subscribe(listener),
    [queryClient],
  );
  const failed = useSyncExternalStore(subscribe, () => queryClient.getQueryCache().getAll().find(isStale));
  const isAway = failed !== undefined && isPassing(failed.state.error);
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => void queryClient.refetchQueries({ predicate: isStale }), askAgainMs);
    return () => clearInterval(timer);
  }, [isAway, queryClient]);
  if (!failed) return null;
  return (
    <div className="px-4 pt-4 sm:px-8">
      <ProblemNotice
        error={failed.state.error}
        action={<Button onClick={() => void queryClient.refetchQueries({ predicate: isStale })}>Try again</Button>}
      >
        <p>What you see may be out of date.</p>
      </ProblemNotice>
    </div>
  );
}

function isStale(query: Query): boolean {
  return query.isActive() && query.state.status === "error" && query.state.data !== undefined;
}

import { type Query, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { Button } from "../parts/button.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";

/** Says when what is on the page could not be brought up to date. */
export function ConnectionNotice() {
  const queryClient = useQueryClient();
  const subscribe = useCallback(
    (listener: () => void) => queryClient.getQueryCache().subscribe(listener),
    [queryClient],
  );
  const failed = useSyncExternalStore(subscribe, () => queryClient.getQueryCache().getAll().find(isStale));
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

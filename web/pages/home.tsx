import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { recentCallsQuery } from "../api/history.ts";
import { recentRunsQuery } from "../api/runs.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../parts/skeleton.tsx";
import { useOrganization } from "../session.ts";
import { FirstSteps } from "./home/first-steps.tsx";
import { Overview } from "./home/overview.tsx";
import { recentLength, useRecent } from "./home/use-recent.ts";

/** A guide until the first call was made here, a calm overview from then on. */
export function HomePage() {
  const organization = useOrganization();
  const calls = useQuery(recentCallsQuery(organization.id, { limit: recentLength }));
  const runs = useQuery(recentRunsQuery(organization.id, recentLength));
  useRecent(organization.id);
  // Decided once: the guide stays while its last step gets its tick.
  const [guided, setGuided] = useState<boolean>();
  if (guided === undefined && calls.data && runs.data)
    setGuided(calls.data.length === 0 && runs.data.length === 0 && organization.role !== "viewer");

  if (calls.data && runs.data && guided !== undefined)
    return guided ? (
      <FirstSteps organization={organization} calls={calls.data} onDone={() => setGuided(false)} />
    ) : (
      <Overview organization={organization} calls={calls.data} runs={runs.data} />
    );
  const error = calls.error ?? runs.error;
  return (
    <Page title={organization.name}>
      {error ? (
        <ProblemNotice
          error={error}
          action={<Button onClick={() => void Promise.all([calls.refetch(), runs.refetch()])}>Try again</Button>}
        />
      ) : (
        <Loading what="the overview">
          <div className="grid gap-6 lg:grid-cols-2">
            <Skeleton className="h-64" />
            <Skeleton className="h-64" />
          </div>
        </Loading>
      )}
    </Page>
  );
}

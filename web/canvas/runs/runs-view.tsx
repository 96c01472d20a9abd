import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { RunEntry } from "../../../src/runs/wire.ts";
import { runsQuery } from "../../api/runs.ts";
import { fitsRunFilter } from "../../pages/history/fits-filter.ts";
import { useLiveList } from "../../pages/history/use-live-list.ts";
import { startWords, Who } from "../../pages/history/who.tsx";
import { Button } from "../../parts/button.tsx";
import { Duration, Elapsed } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { Status } from "../../parts/status.tsx";
import type { Editor } from "../editor/use-editor.ts";
import type { WorkflowSearch } from "../editor/use-workflow-search.ts";

type RunsViewProps = {
  editor: Pick<Editor, "organizationId" | "workflow">;
  search: Pick<WorkflowSearch, "run">;
  show: (change: { run: string; panel: undefined }) => void;
};

/** The runs of a workflow, newest first; it keeps up while it is looked at. One that is pressed is shown on the canvas. */
export function RunsView({ editor: { organizationId, workflow }, search, show }: RunsViewProps) {
  const filter = { workflowId: workflow.id };
  const options = runsQuery(organizationId, filter);
  const list = useInfiniteQuery(options);
  useLiveList(organizationId, { queryKey: options.queryKey, kind: "run", fits: fitsRunFilter(filter) });
  const runs = list.data?.pages.flatMap(({ data }) => data);
  return (
    <section aria-label="Runs" className="min-h-0 flex-1 overflow-y-auto p-4">
      <div className="mx-auto grid max-w-5xl grid-cols-1 gap-4">
        {list.isError && (
          <ProblemNotice error={list.error} action={<Button onClick={() => void list.refetch()}>Try again</Button>} />
        )}
        {list.isPending && (
          <Loading what="the runs">
            <Skeleton className="h-60" />
          </Loading>
        )}
        {runs?.length === 0 && !list.isError && <NoRuns />}
        {runs && runs.length > 0 && (
          <RunTable
            organizationId={organizationId}
            runs={runs}
            shownId={search.run}
            onShow={(runId) => show({ run: runId, panel: undefined })}
          />
        )}
        {list.hasNextPage && (
          <Button
            className="justify-self-center"
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Load older
          </Button>
        )}
      </div>
    </section>
  );
}

function NoRuns() {
  return (
    <div className="grid justify-items-center gap-2 rounded-xl border border-dashed border-line p-10 text-center">
      <p className="font-medium">This workflow has not run yet</p>
      <p className="text-sm text-muted">Press Run in the editor, or let a trigger start it. Each run appears here.</p>
    </div>
  );
}

type RunTableProps = {
  organizationId: string;
  runs: readonly RunEntry[];
  /** The run whose states are on the canvas. */
  shownId: string | undefined;
  onShow: (runId: string) => void;
};

function RunTable({ organizationId, runs, shownId, onShow }: RunTableProps) {
  return (
    <div className="@container overflow-hidden rounded-xl border border-line bg-surface">
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">Runs, newest first. Press one to see it on the canvas.</caption>
        <thead className="border-b border-line text-left text-xs text-muted">
          <tr>
            <th scope="col" className="px-4 py-2.5 font-medium">
              Started
            </th>
            <th scope="col" className="w-32 px-3 py-2.5 font-medium">
              Status
            </th>
            <th scope="col" className={`${wide} w-44`}>
              Kind
            </th>
            <th scope="col" className={`${wide} w-24`}>
              Version
            </th>
            <th scope="col" className={`${wide} w-22 text-right`}>
              Took
            </th>
            <th scope="col" className="w-12 px-2 py-2.5">
              <span className="sr-only">Page of the run</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {runs.map((run) => (
            <Row key={run.id} organizationId={organizationId} run={run} isShown={run.id === shownId} onShow={onShow} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const wide = "hidden px-3 py-2.5 font-medium @2xl:table-cell";

type RowProps = Pick<RunTableProps, "organizationId" | "onShow"> & { run: RunEntry; isShown: boolean };

function Row({ organizationId, run, isShown, onShow }: RowProps) {
  return (
    <tr className={`relative ${isShown ? "bg-accent-soft" : "hover:bg-hover"}`}>
      <td className="px-4 py-2.5">
        <span className="grid min-w-0">
          <button
            type="button"
            aria-current={isShown || undefined}
            title="See it on the canvas"
            onClick={() => onShow(run.id)}
            className="truncate text-left font-medium text-ink after:absolute after:inset-0"
          >
            <Moment at={run.createdAt} show="time" />
          </button>
          <span className="flex min-w-0 gap-2 truncate text-xs text-muted">
            {run.error ? <span className="truncate text-danger">{run.error.message}</span> : <Who of={run} />}
          </span>
          <span className="text-xs text-muted @2xl:hidden">{startWords[run.executionType]}</span>
        </span>
      </td>
      <td className="px-3 py-2.5">
        <Status status={run.status} />
      </td>
      <td className={`${wide} truncate font-normal!`}>{startWords[run.executionType]}</td>
      <td className={`${wide} font-normal!`}>{run.workflowVersion === 0 ? "Draft" : run.workflowVersion}</td>
      <td className={`${wide} text-right font-normal! text-muted`}>
        {run.status === "running" && run.startedAt ? (
          <Elapsed since={run.startedAt} />
        ) : (
          run.durationMs !== null && <Duration ms={run.durationMs} />
        )}
      </td>
      <td className="px-2 py-2.5">
        <Link
          to="/o/$organizationId/runs/$runId"
          params={{ organizationId, runId: run.id }}
          aria-label="Open the page of this run"
          title="Open the page of this run"
          className="relative flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <ExternalLink className="size-4" aria-hidden="true" />
        </Link>
      </td>
    </tr>
  );
}

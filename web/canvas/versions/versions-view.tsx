import { useInfiniteQuery } from "@tanstack/react-query";
import { versionsQuery } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { Editor } from "../editor/use-editor.ts";
import type { WorkflowSearch } from "../editor/use-workflow-search.ts";
import { ComparisonView } from "./comparison-view.tsx";
import { readSide, sideBefore, writeSide } from "./sides.ts";
import { VersionList } from "./version-list.tsx";

type VersionsViewProps = {
  editor: Editor;
  search: WorkflowSearch;
  show: (change: { from?: string | undefined; to?: string | undefined; panel?: string | undefined }) => void;
};

/** Everything that was published, and the draft: a list, and two of them side by side. */
export function VersionsView({ editor, search, show }: VersionsViewProps) {
  const { organizationId, workflow } = editor;
  const versions = useInfiniteQuery(versionsQuery(organizationId, workflow.id));
  const entries = versions.data?.pages.flatMap(({ data }) => data);
  if (!entries) return <Waiting error={versions.error} onRetry={() => void versions.refetch()} />;
  // An address may name a draft that was published or discarded since.
  const readThere = (text: string | undefined) => (text === "draft" && !workflow.draft ? undefined : readSide(text));
  const to = readThere(search.to) ?? (workflow.draft ? "draft" : workflow.version);
  const from = readThere(search.from) ?? sideBefore(to, workflow);
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto md:flex-row md:overflow-hidden">
      <VersionList
        editor={editor}
        entries={entries}
        chosen={to}
        onChoose={(side) => show({ to: writeSide(side), from: undefined })}
        older={
          versions.hasNextPage && (
            <Button busy={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
              Show older versions
            </Button>
          )
        }
      />
      <ComparisonView
        key={`${from} ${to}`}
        editor={editor}
        entries={entries}
        sides={[from, to]}
        onSides={([left, right]) => show({ from: writeSide(left), to: writeSide(right) })}
        onLeave={() => show({ panel: undefined, from: undefined, to: undefined })}
      />
    </div>
  );
}

function Waiting({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="p-4">
      {error ? (
        <ProblemNotice error={error} action={<Button onClick={onRetry}>Try again</Button>} />
      ) : (
        <Loading what="the versions">
          <div className="grid max-w-72 gap-3">
            <Skeleton className="h-16" />
            <Skeleton className="h-16" />
            <Skeleton className="h-16" />
          </div>
        </Loading>
      )}
    </div>
  );
}

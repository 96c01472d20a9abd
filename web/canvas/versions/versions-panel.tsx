import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { VersionEntry } from "../../../src/workflows/wire.ts";
import { restoreVersion, versionsQuery, workflowQuery } from "../../api/workflows.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { VersionChanges } from "./version-changes.tsx";

/** Every saved state of the canvas; each can be compared with the newest and made the newest again. */
export function VersionsPanel({ editor }: { editor: Editor }) {
  const { organizationId, workflow } = editor;
  const versions = useInfiniteQuery(versionsQuery(organizationId, workflow.id));
  const entries = versions.data?.pages.flatMap(({ data }) => data);
  const newest = entries?.[0]?.version;
  if (entries && newest === undefined) return <p className="text-sm text-muted">Nothing was published yet.</p>;
  if (!entries || newest === undefined) {
    if (versions.isError)
      return (
        <ProblemNotice
          error={versions.error}
          action={<Button onClick={() => void versions.refetch()}>Try again</Button>}
        />
      );
    return (
      <Loading what="the versions">
        <div className="grid gap-3">
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
        </div>
      </Loading>
    );
  }
  return (
    <div className="grid grid-cols-1 gap-3">
      <ol className="grid grid-cols-1 gap-2">
        {entries.map((entry) => (
          <VersionItem key={entry.version} editor={editor} entry={entry} newest={newest} />
        ))}
      </ol>
      {versions.hasNextPage && (
        <Button busy={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
          Show older versions
        </Button>
      )}
    </div>
  );
}

function VersionItem({ editor, entry, newest }: { editor: Editor; entry: VersionEntry; newest: number }) {
  const { organizationId, workflow, readOnly, take, reopen } = editor;
  const queryClient = useQueryClient();
  const [open, setOpen] = useState(false);
  const restore = useMutation({
    mutationFn: () => restoreVersion(organizationId, workflow.id, entry.version),
    onSuccess: async (restored) => {
      queryClient.setQueryData(workflowQuery(organizationId, workflow.id).queryKey, restored);
      await queryClient.invalidateQueries({ queryKey: versionsQuery(organizationId, workflow.id).queryKey });
      // A draft stays what is edited.
      if (restored.draft) reopen();
      else await take(restored);
    },
  });
  const isNewest = entry.version === newest;
  return (
    <li className="grid grid-cols-1 gap-2 rounded-lg border border-line p-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Version {entry.version}</span>
        {isNewest && <Badge>Published</Badge>}
        <span className="text-xs text-muted">
          {entry.createdByName && `${entry.createdByName}, `}
          <TimeAgo at={entry.createdAt} />
        </span>
      </div>
      {entry.note && <p className="text-muted wrap-anywhere">{entry.note}</p>}
      {!isNewest && (
        <div className="flex flex-wrap gap-2">
          <Button aria-expanded={open} onClick={() => setOpen(!open)}>
            Compare with current
          </Button>
          {!readOnly && (
            <Button busy={restore.isPending} onClick={() => restore.mutate()}>
              Restore
            </Button>
          )}
        </div>
      )}
      {restore.isError && <ProblemNotice error={restore.error} />}
      {open && !isNewest && <VersionChanges editor={editor} from={entry.version} to={newest} />}
    </li>
  );
}

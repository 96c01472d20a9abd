import { useQuery } from "@tanstack/react-query";
import { comparisonQuery } from "../../api/workflows.ts";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { describeComparison } from "./describe-comparison.ts";

/** What the current canvas has otherwise than an earlier one, in words. */
export function VersionChanges({ editor, from, to }: { editor: Editor; from: number; to: number }) {
  const { organizationId, workflow, kinds, canvas } = editor;
  const { data, error } = useQuery(comparisonQuery(organizationId, workflow.id, { from, to }));
  if (error) return <ProblemNotice error={error} />;
  if (!data) {
    return (
      <Loading what="the changes">
        <Skeleton className="h-10" />
      </Loading>
    );
  }
  const lines = describeComparison(data, { canvas, kinds });
  return (
    <div className="grid gap-1">
      <p className="text-xs text-muted">Since then:</p>
      <ul className="grid list-disc gap-1 pl-5">
        {lines.map((line) => (
          <li key={line} className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}

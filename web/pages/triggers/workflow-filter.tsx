import { useQuery } from "@tanstack/react-query";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { allWorkflowsQuery } from "../../api/workflows.ts";
import { controlLook } from "../../parts/field.tsx";

type WorkflowFilterProps = {
  organizationId: string;
  shown: Trigger[];
  hasMore: boolean;
  value: string;
  onChange: (workflowId: string) => void;
};

/** Beside it, how many are shown. Where there is nothing at all, there is nothing to choose. */
export function WorkflowFilter({ organizationId, shown, hasMore, value, onChange }: WorkflowFilterProps) {
  const all = useQuery(allWorkflowsQuery(organizationId)).data ?? [];
  const names = new Map(all.filter(({ triggers }) => triggers.total > 0).map(({ id, name }) => [id, name]));
  for (const { workflowId, workflowName } of shown) names.set(workflowId, workflowName);
  if (shown.length === 0 && value === "") return null;
  const workflows = [...names].sort(([, one], [, other]) => one.localeCompare(other));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <select
        aria-label="Workflow"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${controlLook} sm:w-80!`}
      >
        <option value="">All workflows</option>
        {value !== "" && !names.has(value) && <option value={value}>One workflow</option>}
        {workflows.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <p role="status" className="text-sm text-muted">
        {hasMore && "The newest "}
        {shown.length === 1 ? "1 trigger" : `${shown.length} triggers`}, {shown.filter(({ active }) => active).length}{" "}
        on
      </p>
    </div>
  );
}

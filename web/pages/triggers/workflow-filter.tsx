import type { Trigger } from "../../../src/triggers/wire.ts";
import { controlLook } from "../../parts/field.tsx";

type WorkflowFilterProps = { triggers: Trigger[]; shown: Trigger[]; value: string; onChange: (workflowId: string) => void };

/** Beside it, how many are shown. */
export function WorkflowFilter({ triggers, shown, value, onChange }: WorkflowFilterProps) {
  const names = new Map(triggers.map(({ workflowId, workflowName }) => [workflowId, workflowName]));
  const workflows = [...names].sort(([, one], [, other]) => one.localeCompare(other));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <select aria-label="Workflow" value={value} onChange={(event) => onChange(event.target.value)} className={`${controlLook} sm:w-80!`}>
        <option value="">All workflows</option>
        {value !== "" && !names.has(value) && <option value={value}>One workflow</option>}
        {workflows.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <p role="status" className="text-sm text-muted">
        {shown.length === 1 ? "1 trigger" : `${shown.length} triggers`}, {shown.filter(({ active }) => active).length} on
      </p>
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { NodeOverride } from "../../../src/workflows/wire.ts";
import { workflowQuery } from "../../api/workflows.ts";
import { OverridesEditor } from "../workflows/overrides-editor.tsx";

type OverridesFieldProps = {
  organizationId: string;
  workflowId: string;
  value: NodeOverride[];
  onChange: (value: NodeOverride[]) => void;
};

export function OverridesField({ organizationId, workflowId, value, onChange }: OverridesFieldProps) {
  const workflow = useQuery(workflowQuery(organizationId, workflowId)).data;
  const [isOpenFirst] = useState(value.length > 0);
  if (!workflow) return null;
  return (
    <details open={isOpenFirst} className="rounded-lg border border-line">
      <summary className="cursor-pointer rounded-lg px-3.5 py-2.5 text-sm font-medium hover:bg-hover">
        Instructions and accounts of its runs
        {value.length > 0 && <span className="ml-2 font-normal text-muted">{value.length} set</span>}
      </summary>
      <div className="px-3.5 pt-2 pb-3.5">
        <OverridesEditor organizationId={organizationId} canvas={workflow.canvas} value={value} onChange={onChange} />
      </div>
    </details>
  );
}

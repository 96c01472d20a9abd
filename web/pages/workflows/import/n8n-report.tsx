import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ConvertedNode, N8nConversion } from "../../../../src/workflows/translation-wire.ts";
import { createWorkflow, workflowsKey } from "../../../api/workflows.ts";
import { nodeKindsQuery } from "../../../catalog.ts";
import { Button } from "../../../parts/button.tsx";
import { Form } from "../../../parts/form.tsx";
import { TextField } from "../../../parts/text-field.tsx";
import { describeRemark } from "../describe-remark.ts";
import { useOpenWorkflow } from "../use-open-workflow.ts";

type N8nReportProps = { organizationId: string; conversion: N8nConversion; onBack: () => void };

/** What became of each node of a file of n8n, before anything is saved. */
export function N8nReport({ organizationId, conversion, onBack }: N8nReportProps) {
  const { name, canvas, nodes, remarks, errors, warnings } = conversion;
  const queryClient = useQueryClient();
  const open = useOpenWorkflow(organizationId);
  const of = (outcome: ConvertedNode["outcome"]) => nodes.filter((node) => node.outcome === outcome);
  const left = [...errors, ...warnings].map((remark) => describeRemark(canvas, remark));

  async function save(wanted: string): Promise<void> {
    const saved = await createWorkflow(organizationId, { name: wanted, canvas });
    void queryClient.invalidateQueries({ queryKey: workflowsKey(organizationId) });
    open(saved.id);
  }

  return (
    <div className="grid grid-cols-1 gap-5">
      <p className="text-sm">
        Nothing is saved yet. This is what becomes of the {nodes.length === 1 ? "node" : `${nodes.length} nodes`} of the
        file. Accounts are never taken over.
      </p>
      <Outcome title="Missing" Icon={CircleX} look="text-danger" nodes={of("missing")} />
      <Outcome title="Changed: look at these" Icon={TriangleAlert} look="text-warning" nodes={of("changed")} />
      <Outcome title="Taken over" Icon={CircleCheck} look="text-success" nodes={of("mapped")} />
      <Remarks title="About the whole" remarks={remarks} />
      <Remarks title="Left to do before you can publish" remarks={left} />
      <Form submit="Save as a draft" send={(field) => save(field("name"))}>
        <TextField label="Name" name="name" maxLength={200} autoComplete="off" defaultValue={name} />
      </Form>
      <Button className="justify-self-start" onClick={onBack}>
        Choose another file
      </Button>
    </div>
  );
}

type OutcomeProps = { title: string; Icon: LucideIcon; look: string; nodes: ConvertedNode[] };

function Outcome({ title, Icon, look, nodes }: OutcomeProps) {
  const kinds = useQuery(nodeKindsQuery).data;
  if (nodes.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h3 className={`flex items-center gap-2 text-sm font-semibold ${look}`}>
        <Icon className="size-4 shrink-0" aria-hidden="true" />
        {title} ({nodes.length})
      </h3>
      <ul className="grid gap-2 text-sm">
        {nodes.map(({ name, type, becomes, remarks }) => (
          <li key={name} className="rounded-lg border border-line px-3 py-2">
            <p className="wrap-anywhere">
              <span className="font-medium">{name}</span>{" "}
              <span className="text-muted">
                {type.split(".").at(-1)}
                {becomes.length > 0 && ` → ${becomes.map((id) => kinds?.get(id)?.title ?? id).join(", ")}`}
              </span>
            </p>
            {remarks.length > 0 && (
              <ul className="mt-1 list-disc pl-5 text-muted">
                {remarks.map((remark) => (
                  <li key={remark} className="wrap-anywhere">
                    {remark}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Remarks({ title, remarks }: { title: string; remarks: string[] }) {
  if (remarks.length === 0) return null;
  return (
    <section className="grid gap-1.5 text-sm">
      <h3 className="font-semibold">{title}</h3>
      <ul className="list-disc pl-5 text-muted">
        {[...new Set(remarks)].map((remark) => (
          <li key={remark} className="wrap-anywhere">
            {remark}
          </li>
        ))}
      </ul>
    </section>
  );
}

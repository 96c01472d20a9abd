import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { importWorkflow, translateN8n, workflowsKey } from "../../../api/workflows.ts";
import { Notice } from "../../../parts/notice.tsx";
import { ProblemNotice } from "../../../parts/problem-notice.tsx";
import { isApiProblem } from "../../../problem.ts";
import type { MyOrganization } from "../../../session.ts";
import { describeRemark } from "../describe-remark.ts";
import { useOpenWorkflow } from "../use-open-workflow.ts";
import { ChooseFile } from "./choose-file.tsx";
import { ImportedWorkflow } from "./imported-workflow.tsx";
import { N8nReport } from "./n8n-report.tsx";
import { type ReadFile, readWorkflowText } from "./read-workflow-text.ts";

/** A file of this product is saved at once; one of n8n is translated, and saved when its report was read. */
export function ImportWorkflow({ organization }: { organization: MyOrganization }) {
  const [fault, setFault] = useState<string>();
  const queryClient = useQueryClient();
  const openWorkflow = useOpenWorkflow(organization.id);
  const importing = useMutation({
    mutationFn: (file: ReadFile) => importWorkflow(organization.id, file),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workflowsKey(organization.id) }),
  });
  const translating = useMutation({
    mutationFn: (file: Record<string, unknown> | unknown[]) => translateN8n(organization.id, file),
  });

  function take(text: string, name: string): void {
    importing.reset();
    translating.reset();
    const read = readWorkflowText(text, name);
    setFault("fault" in read ? read.fault : undefined);
    if ("own" in read) importing.mutate(read.own);
    if ("n8n" in read) translating.mutate(read.n8n);
  }

  if (importing.data) {
    const { id } = importing.data;
    const { canvas } = importing.variables;
    return <ImportedWorkflow saved={importing.data} canvas={canvas} onOpen={() => openWorkflow(id)} />;
  }
  if (translating.data)
    return (
      <N8nReport organizationId={organization.id} conversion={translating.data} onBack={() => translating.reset()} />
    );
  return (
    <div className="grid grid-cols-1 gap-4">
      <ChooseFile isBusy={importing.isPending || translating.isPending} onText={take} onFault={setFault} />
      {fault && <Notice kind="problem">{fault}</Notice>}
      {importing.isError && <ImportProblem error={importing.error} canvas={importing.variables.canvas} />}
      {translating.isError && <ProblemNotice error={translating.error} />}
    </div>
  );
}

function ImportProblem({ error, canvas }: { error: unknown; canvas: unknown }) {
  const faults = isApiProblem(error) ? error.errors : [];
  if (faults.length === 0) return <ProblemNotice error={error} />;
  return (
    <Notice kind="problem">
      <p>Nothing was imported. The file has {faults.length === 1 ? "a fault" : `${faults.length} faults`}:</p>
      <ul className="mt-1 list-disc pl-5">
        {faults.map((fault) => (
          <li key={`${fault.pointer} ${fault.detail}`}>{describeRemark(canvas, fault)}</li>
        ))}
      </ul>
    </Notice>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { importWorkflow, workflowsKey } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { isApiProblem } from "../../problem.ts";
import type { MyOrganization } from "../../session.ts";
import { describeRemark } from "./describe-remark.ts";
import { ImportedWorkflow } from "./imported-workflow.tsx";
import { useOpenWorkflow } from "./use-open-workflow.ts";

type ReadFile = Record<string, unknown> & { canvas?: unknown };

const mostBytes = 5_000_000;

export function ImportWorkflow({ organization }: { organization: MyOrganization }) {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const [isOver, setIsOver] = useState(false);
  const queryClient = useQueryClient();
  const openWorkflow = useOpenWorkflow(organization.id);
  const mutation = useMutation({
    mutationFn: (file: ReadFile) => importWorkflow(organization.id, file),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workflowsKey(organization.id) }),
  });

  async function take(file: File | undefined): Promise<void> {
    if (!file) return;
    mutation.reset();
    const read = await readWorkflowFile(file);
    setFault(read.fault);
    if (read.value) mutation.mutate(read.value);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    void take(event.dataTransfer.files[0]);
  }

  if (mutation.data) {
    const { id } = mutation.data;
    const { canvas } = mutation.variables;
    return <ImportedWorkflow saved={mutation.data} canvas={canvas} onOpen={() => openWorkflow(id)} />;
  }
  return (
    <div className="grid gap-4">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is the second way; the button inside is the first. */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={`grid justify-items-center gap-3 rounded-lg border border-dashed px-4 py-8 ${isOver ? "border-accent bg-accent-soft" : "border-field"}`}
      >
        <FileUp className="size-6 text-muted" aria-hidden="true" />
        <Button busy={mutation.isPending} onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <p className="text-sm text-muted">or drop it here</p>
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          aria-label="Workflow file"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            // The same file can be chosen again once it is mended.
            event.target.value = "";
          }}
        />
      </div>
      {fault && <Notice kind="problem">{fault}</Notice>}
      {mutation.isError && <ImportProblem error={mutation.error} canvas={mutation.variables.canvas} />}
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

async function readWorkflowFile(file: File): Promise<{ value?: ReadFile; fault?: string }> {
  if (file.size > mostBytes) return { fault: `${file.name} is larger than 5 MB. A workflow file is much smaller.` };
  try {
    const value: unknown = JSON.parse(await file.text());
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value: value as ReadFile };
  } catch {
    // Told below, like every other text that is no workflow.
  }
  return { fault: `${file.name} is not a workflow file. Export one from the menu of a workflow.` };
}

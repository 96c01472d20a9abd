import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Workflow } from "../../../src/workflows/wire.ts";
import { changeWorkflow, workflowQuery } from "../../api/workflows.ts";
import { isApiProblem } from "../../problem.ts";

type NameFieldProps = { organizationId: string; workflow: Workflow; readOnly: boolean };

/** The heading of the page, which can be typed into. Enter or leaving it saves, Escape brings the old name back. */
export function NameField({ organizationId, workflow, readOnly }: NameFieldProps) {
  const queryClient = useQueryClient();
  const [text, setText] = useState<string>();
  const rename = useMutation({
    mutationFn: (name: string) => changeWorkflow(organizationId, workflow.id, { name }),
    onSuccess: ({ name }) => {
      queryClient.setQueryData(
        workflowQuery(organizationId, workflow.id).queryKey,
        (before) => before && { ...before, name },
      );
      setText(undefined);
    },
  });
  if (readOnly) return <h1 className="min-w-0 truncate text-base font-semibold">{workflow.name}</h1>;

  function save(): void {
    const name = text?.trim();
    if (!name || name === workflow.name) setText(undefined);
    else if (!rename.isPending) rename.mutate(name);
  }

  return (
    <div className="min-w-24 flex-1">
      <h1 className="sr-only">{workflow.name}</h1>
      <input
        aria-label="Name of the workflow"
        value={text ?? workflow.name}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape") setText(undefined);
        }}
        className="-ml-2 field-sizing-content max-w-full min-w-16 truncate rounded-md border border-transparent bg-transparent px-2 py-1 text-base font-semibold hover:border-line focus:border-field"
      />
      {rename.isError && (
        <p role="alert" className="text-xs text-danger">
          Not renamed. {isApiProblem(rename.error) ? rename.error.message : ""}
        </p>
      )}
    </div>
  );
}

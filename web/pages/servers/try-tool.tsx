import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { callTool, type ServerTool } from "../../api/servers.ts";
import { SchemaForm } from "../../node-form/schema-form.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { type FieldFault, isApiProblem } from "../../problem.ts";
import { CallResult } from "./call-result.tsx";
import { CredentialChoice } from "./credential-choice.tsx";
import { effectWords, findEffect } from "./hints.ts";

/** Calls the tool with what is entered. It is a real call: it takes a slot and is in the history. */
export function TryTool({ organizationId, tool }: { organizationId: string; tool: ServerTool }) {
  const [parameters, setParameters] = useState<Record<string, unknown>>({});
  const [credentials, setCredentials] = useState<Record<string, string>>({});
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const call = useMutation({
    mutationFn: (confirm: boolean) =>
      callTool(organizationId, tool.name, {
        parameters,
        ...(tool.credentials.length > 0 && { credentials }),
        ...(confirm && { confirm }),
      }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ["organizations", organizationId, "history"] }),
  });
  const form = useRef<HTMLFormElement>(null);
  const faults = useMemo(() => findFaults(call.error), [call.error]);
  const fields = Object.keys(tool.inputSchema.properties ?? {});
  const isAllAtFields = faults.length > 0 && faults.every(({ pointer }) => fields.includes(pointer.split("/")[1] ?? ""));
  useEffect(() => {
    if (faults.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [faults]);
  const lacksAccount = tool.credentials.some((type) => !credentials[type]);
  const needsConsent = findEffect(tool) !== "reads";

  function submit(event: FormEvent) {
    event.preventDefault();
    if (call.isPending) return;
    if (needsConsent) setAsking(true);
    else call.mutate(false);
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="grid grid-cols-1 gap-4" aria-label={`Try ${tool.title}`}>
      <SchemaForm schema={tool.inputSchema} value={parameters} onChange={setParameters} faults={faults} idPrefix={`try-${tool.name}`} />
      {tool.credentials.map((type) => (
        <CredentialChoice
          key={type}
          organizationId={organizationId}
          type={type}
          value={credentials[type] ?? ""}
          onChange={(reference) => setCredentials((before) => ({ ...before, [type]: reference }))}
        />
      ))}
      {call.isError && !isAllAtFields && <ProblemNotice error={call.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" busy={call.isPending} disabled={lacksAccount} className="disabled:opacity-60">
          Run
        </Button>
        <p className="text-sm text-muted">{lacksAccount ? "Choose an account first." : "A real call, recorded in the history."}</p>
      </div>
      {call.data && !call.isPending && <CallResult organizationId={organizationId} record={call.data} />}
      {asking && (
        <Dialog
          open
          onOpenChange={setAsking}
          title={`Run ${tool.title}?`}
          description={`${effectWords[findEffect(tool)]}: this acts for real${tool.credentials.length > 0 ? " in the account you chose" : ""}.`}
        >
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button
              look="primary"
              onClick={() => {
                setAsking(false);
                call.mutate(true);
              }}
            >
              Run it
            </Button>
          </div>
        </Dialog>
      )}
    </form>
  );
}

/** The faults of the parameters, with pointers from there on. */
function findFaults(error: unknown): FieldFault[] {
  if (!isApiProblem(error)) return [];
  return error.errors.map(({ pointer, detail }) => ({ pointer: pointer.replace(/^\/parameters(?=\/|$)/, ""), detail }));
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { ToolCallRequest } from "../../../src/calls/wire.ts";
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
  const form = useRef<HTMLFormElement>(null);
  const chosen = Object.fromEntries(Object.entries(credentials).filter(([, reference]) => reference !== ""));
  const call = useCall(organizationId, tool, {
    parameters,
    ...(tool.credentials.length > 0 && { credentials: chosen }),
  });
  const faults = useFaults(call.error, form);
  const credentialId = credentials[tool.credentials[0] ?? ""]?.split(":").at(-1);
  const lacksAccount = !tool.worksWithoutAccount && tool.credentials.some((type) => !credentials[type]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (call.isPending) return;
    if (findEffect(tool) === "reads") call.mutate(false);
    else setAsking(true);
  }

  function confirm() {
    setAsking(false);
    call.mutate(true);
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="grid grid-cols-1 gap-4" aria-label={`Try ${tool.title}`}>
      <SchemaForm
        schema={tool.inputSchema}
        value={parameters}
        onChange={setParameters}
        faults={faults}
        idPrefix={`try-${tool.name}`}
        choicesFrom={credentialId ? { organizationId, credentialId } : undefined}
      />
      {tool.credentials.map((type) => (
        <CredentialChoice
          key={type}
          organizationId={organizationId}
          type={type}
          alsoTakes={tool.alsoTakes}
          isOptional={tool.worksWithoutAccount}
          value={
            [type, ...tool.alsoTakes].map((one) => credentials[one] ?? "").find((reference) => reference !== "") ?? ""
          }
          onChange={(reference, chosenType) => setCredentials({ [chosenType]: reference })}
        />
      ))}
      {call.isError && !areAtFields(faults, tool) && <ProblemNotice error={call.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          look="primary"
          busy={call.isPending}
          disabled={lacksAccount}
          className="disabled:opacity-60"
        >
          Run
        </Button>
        <p className="text-sm text-muted">
          {lacksAccount ? "Choose an account first." : "A real call, recorded in the history."}
        </p>
      </div>
      {call.data && !call.isPending && <CallResult organizationId={organizationId} record={call.data} />}
      {asking && <ConfirmCall tool={tool} onConfirm={confirm} onClose={() => setAsking(false)} />}
    </form>
  );
}

function useCall(organizationId: string, tool: ServerTool, request: ToolCallRequest) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (confirm: boolean) => callTool(organizationId, tool.name, { ...request, ...(confirm && { confirm }) }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ["organizations", organizationId, "history"] }),
  });
}

function ConfirmCall({ tool, onConfirm, onClose }: { tool: ServerTool; onConfirm: () => void; onClose: () => void }) {
  const where = tool.credentials.length > 0 && !tool.worksWithoutAccount ? " in the account you chose" : "";
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Run ${tool.title}?`}
      description={`${effectWords[findEffect(tool)]}: this acts for real${where}.`}
    >
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" onClick={onConfirm}>
          Run it
        </Button>
      </div>
    </Dialog>
  );
}

/** The faults of the parameters, with pointers from there on. The first field that has one gets the focus. */
function useFaults(error: unknown, form: RefObject<HTMLFormElement | null>): FieldFault[] {
  const faults = useMemo(() => findFaults(error), [error]);
  useEffect(() => {
    if (faults.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [faults, form]);
  return faults;
}

function findFaults(error: unknown): FieldFault[] {
  if (!isApiProblem(error)) return [];
  return error.errors.map(({ pointer, detail }) => ({ pointer: pointer.replace(/^\/parameters(?=\/|$)/, ""), detail }));
}

function areAtFields(faults: FieldFault[], { inputSchema }: ServerTool): boolean {
  const fields = Object.keys(inputSchema.properties ?? {});
  return faults.length > 0 && faults.every(({ pointer }) => fields.includes(pointer.split("/")[1] ?? ""));
}

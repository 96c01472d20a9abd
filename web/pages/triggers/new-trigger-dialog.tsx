import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Trigger, TriggerWithSecrets } from "../../../src/triggers/wire.ts";
import { triggersKey } from "../../api/triggers.ts";
import { workflowsKey } from "../../api/workflows.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useGuardedClose } from "../../parts/use-guarded-close.ts";
import { kindLooks, kinds } from "./kinds.ts";
import { isLost, ShownSecrets } from "./shown-secrets.tsx";
import { TriggerForm } from "./trigger-form.tsx";

type NewTriggerDialogProps = {
  organizationId: string;
  kind: Trigger["kind"];
  workflowId: string | undefined;
  /** Who is to deliver to a webhook. */
  senderId?: string | undefined;
  onKind: (kind: Trigger["kind"]) => void;
  /** With the trigger that was made, if one was. */
  onClose: (triggerId?: string) => void;
};

export function NewTriggerDialog(props: NewTriggerDialogProps) {
  const { organizationId, kind, workflowId, senderId, onKind, onClose } = props;
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<TriggerWithSecrets>();
  const { warned, close } = useGuardedClose(created !== undefined && isLost(created), () => onClose(created?.id));

  async function show(saved: Trigger | TriggerWithSecrets): Promise<void> {
    if ("webhookUrl" in saved && saved.webhookUrl) setCreated(saved);
    else onClose(saved.id);
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: triggersKey(organizationId) }),
      queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "list"] }),
    ]);
  }

  return (
    <Dialog wide open onOpenChange={close} title={created ? `${created.name} is ready` : "New trigger"}>
      {created ? (
        <ShownSecrets created={created} warned={warned} onDone={() => onClose(created.id)} />
      ) : (
        <div className="grid gap-5">
          <KindChoice kind={kind} onKind={onKind} />
          <TriggerForm
            key={kind}
            organizationId={organizationId}
            kind={kind}
            initialWorkflowId={workflowId}
            initialSenderId={senderId}
            onSaved={show}
          />
        </div>
      )}
    </Dialog>
  );
}

function KindChoice({ kind, onKind }: Pick<NewTriggerDialogProps, "kind" | "onKind">) {
  return (
    <fieldset className="grid gap-2 sm:grid-cols-3">
      <legend className="sr-only">What starts the workflow</legend>
      {kinds.map((value) => {
        const { title, words, Icon } = kindLooks[value];
        return (
          <label
            key={value}
            className="flex cursor-pointer items-start gap-3 rounded-lg border border-line px-3.5 py-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
          >
            {/* As in every group of radio buttons, only the chosen one is a stop; the dialog would begin with the first. */}
            <input
              type="radio"
              name="kind"
              tabIndex={kind === value ? 0 : -1}
              checked={kind === value}
              onChange={() => onKind(value)}
              className="mt-1 accent-accent"
            />
            <span className="grid gap-0.5 text-sm">
              <span className="flex items-center gap-2 font-medium">
                <Icon className="size-4 text-muted" aria-hidden="true" />
                {title}
              </span>
              <span className="text-muted">{words}</span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

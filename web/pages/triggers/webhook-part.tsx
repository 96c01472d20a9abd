import { useQuery } from "@tanstack/react-query";
import type { Trigger, WebhookMethod } from "../../../src/triggers/wire.ts";
import { webhookProvidersQuery } from "../../catalog.ts";
import { EventFields, readEventFields } from "./event-fields.tsx";
import { type Sender, senderOf, senders } from "./senders.ts";
import {
  AnswerField,
  BotsField,
  MethodsField,
  RegisterField,
  SenderField,
  SigningAccountField,
} from "./webhook-fields.tsx";

export type WebhookDraft = { sender: Sender; wantsRegistering: boolean; methods: WebhookMethod[] };

export const beginWebhook = (trigger: Trigger | undefined, senderId?: string): WebhookDraft => ({
  sender: (trigger ? senderOf(trigger) : senders.find(({ id }) => id === senderId)) ?? (senders[0] as Sender),
  wantsRegistering: trigger?.isRegistered ?? true,
  methods: trigger?.methods ?? ["POST"],
});

type WebhookPartProps = {
  organizationId: string;
  trigger: Trigger | undefined;
  draft: WebhookDraft;
  onChange: (draft: WebhookDraft) => void;
};

/** Who delivers, how that is checked, and which deliveries start runs. */
export function WebhookPart({ organizationId, trigger, draft, onChange }: WebhookPartProps) {
  const { sender, methods } = draft;
  const entry = useQuery(webhookProvidersQuery).data?.find(({ id }) => id === sender.provider?.id);
  const registers = draft.wantsRegistering && entry?.canRegister === true;
  return (
    <>
      {!trigger && (
        <SenderField sender={sender} registers={registers} onChange={(next) => onChange({ ...draft, sender: next })} />
      )}
      {entry?.canRegister && !trigger?.isRegistered && (
        <RegisterField
          sender={sender}
          isOn={registers}
          onChange={(wantsRegistering) => onChange({ ...draft, wantsRegistering })}
        />
      )}
      {entry?.credentialType && (
        <SigningAccountField
          key={sender.id}
          organizationId={organizationId}
          sender={sender}
          registers={registers}
          credentialType={entry.credentialType}
          initial={trigger?.credentialId ?? ""}
        />
      )}
      {!sender.provider && (
        <MethodsField methods={methods} onChange={(next) => onChange({ ...draft, methods: next })} />
      )}
      <EventFields
        key={`${sender.id} events`}
        sender={sender}
        isOfPlace={registers && entry?.needsPlace === true}
        trigger={trigger}
      />
      {sender.provider && <BotsField key={`${sender.id} bots`} sender={sender} initial={trigger?.takesBots ?? false} />}
      {!sender.provider && <AnswerField initial={trigger?.answerWithinSeconds ?? null} />}
    </>
  );
}

type ReadWebhook = { field: (name: string) => string; draft: WebhookDraft; trigger: Trigger | undefined };

/** What the part says, as the API takes it. How deliveries are checked is only told of a new one. */
export function readWebhook({ field, draft, trigger }: ReadWebhook) {
  const { sender, methods } = draft;
  const asks = field("register") === "yes";
  return {
    ...readEventFields(field, sender),
    ...(sender.provider
      ? {
          credentialId: field("credentialId"),
          takesBots: field("takesBots") === "yes",
          ...(asks && { register: true as const }),
        }
      : { methods, answerWithinSeconds: Number(field("answerWithinSeconds")) || null }),
    ...(!trigger && signing(sender)),
  };
}

const signing = ({ provider, signature }: Sender) =>
  provider ? { provider: provider.id } : { ...(signature && { signature }) };

import { useState } from "react";
import type { PollEntry } from "../../../src/catalog/wire.ts";
import type { Trigger, TriggerWithSecrets } from "../../../src/triggers/wire.ts";
import type { NodeOverride } from "../../../src/workflows/wire.ts";
import { changeTrigger, createTrigger, type Schedule } from "../../api/triggers.ts";
import { Field } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { describeCron } from "./cron-words.ts";
import { OverridesField } from "./overrides-field.tsx";
import { beginPoll, PollPart, readPoll } from "./poll-part.tsx";
import { describePoll, usePoll } from "./poll-words.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import type { Sender } from "./senders.ts";
import { ownTimeZone } from "./time-zones.ts";
import { beginWebhook, readWebhook, WebhookPart } from "./webhook-part.tsx";
import { WorkflowField } from "./workflow-field.tsx";

type TriggerFormProps = {
  organizationId: string;
  kind: Trigger["kind"];
  /** The one that is changed; without it a new one is made. */
  trigger?: Trigger;
  initialWorkflowId?: string | undefined;
  initialSenderId?: string | undefined;
  onSaved: (saved: Trigger | TriggerWithSecrets) => Promise<void>;
};

export function TriggerForm(props: TriggerFormProps) {
  const { organizationId, kind, trigger, initialWorkflowId = "", initialSenderId, onSaved } = props;
  const [workflowId, setWorkflowId] = useState(trigger?.workflowId ?? initialWorkflowId);
  const [schedule, setSchedule] = useState<Schedule>({
    cron: trigger?.cron ?? "0 9 * * *",
    timeZone: trigger?.timeZone ?? ownTimeZone,
  });
  const [webhook, setWebhook] = useState(() => beginWebhook(trigger, initialSenderId));
  const [overrides, setOverrides] = useState<NodeOverride[]>(trigger?.overrides ?? []);
  const [pollDraft, setPollDraft] = useState(() => beginPoll(trigger));
  const poll = usePoll(pollDraft.provider, pollDraft.event);
  const defaultName = nameFor(kind, { schedule, sender: webhook.sender, poll });

  async function save(field: (name: string) => string): Promise<void> {
    const wanted = {
      name: field("name").trim() || defaultName,
      prompt: field("prompt"),
      overrides,
      ...(kind === "schedule" && schedule),
      ...(kind === "webhook" && readWebhook({ field, draft: webhook, trigger })),
      ...(kind === "poll" && readPoll({ field, draft: pollDraft, trigger })),
    };
    const takesAccountAway = kind === "poll" && trigger?.credentialId && field("credentialId") === "";
    const saved = trigger
      ? await changeTrigger(organizationId, trigger.id, { ...wanted, ...(takesAccountAway && { credentialId: null }) })
      : await createTrigger(organizationId, { ...wanted, kind, workflowId });
    await onSaved(saved);
  }

  return (
    <Form wide submit={trigger ? "Save" : "Create"} send={save} {...(trigger && { done: "Saved." })}>
      {!trigger && (
        <WorkflowField
          organizationId={organizationId}
          value={workflowId}
          onChange={(id) => {
            setWorkflowId(id);
            setOverrides([]);
          }}
        />
      )}
      {kind === "schedule" && (
        <ScheduleFields organizationId={organizationId} schedule={schedule} onChange={setSchedule} />
      )}
      {kind === "webhook" && (
        <WebhookPart organizationId={organizationId} trigger={trigger} draft={webhook} onChange={setWebhook} />
      )}
      {kind === "poll" && (
        <PollPart organizationId={organizationId} trigger={trigger} draft={pollDraft} onChange={setPollDraft} />
      )}
      <TextField
        label="Name"
        name="name"
        required={false}
        maxLength={100}
        autoComplete="off"
        placeholder={defaultName}
        defaultValue={trigger?.name}
      />
      <PromptField kind={kind} initial={trigger?.prompt ?? ""} />
      {workflowId && (
        <OverridesField
          organizationId={organizationId}
          workflowId={workflowId}
          value={overrides}
          onChange={setOverrides}
        />
      )}
    </Form>
  );
}

function PromptField({ kind, initial }: { kind: Trigger["kind"]; initial: string }) {
  return (
    <Field
      label="Prompt"
      name="prompt"
      hint={`Optional. Nodes read it as $trigger.prompt.${emptyPrompt[kind]}`}
      control={(control) => <textarea {...control} rows={2} maxLength={100_000} defaultValue={initial} />}
    />
  );
}

const emptyPrompt: Record<Trigger["kind"], string> = {
  schedule: "",
  webhook: " Empty, a message of a provider counts as the prompt.",
  poll: " Empty, what came counts as the prompt: its text or its title.",
};

type Drafts = { schedule: Schedule; sender: Sender; poll: PollEntry | undefined };

function nameFor(kind: Trigger["kind"], { schedule, sender, poll }: Drafts): string {
  if (kind === "schedule") return describeCron(schedule.cron) ?? "Schedule";
  if (kind === "poll") return poll ? describePoll(poll) : "Polling";
  return sender.provider ? `${sender.title} webhook` : "Webhook";
}

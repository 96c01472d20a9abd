import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Trigger, TriggerWithSecrets, WebhookMethod } from "../../../src/triggers/wire.ts";
import type { NodeOverride } from "../../../src/workflows/wire.ts";
import { changeTrigger, createTrigger, type Schedule } from "../../api/triggers.ts";
import { workflowQuery } from "../../api/workflows.ts";
import { Field } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { OverridesEditor } from "../workflows/overrides-editor.tsx";
import { describeCron } from "./cron-words.ts";
import { EventFields, readEventFields } from "./event-fields.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { type Sender, senderOf, senders } from "./senders.ts";
import { ownTimeZone } from "./time-zones.ts";
import { AnswerField, BotsField, MethodsField, RegisterField, SenderField, SigningAccountField } from "./webhook-fields.tsx";
import { WorkflowField } from "./workflow-field.tsx";

type TriggerFormProps = {
  organizationId: string;
  kind: Trigger["kind"];
  /** The one that is changed; without it a new one is made. */
  trigger?: Trigger;
  initialWorkflowId?: string | undefined;
  onSaved: (saved: Trigger | TriggerWithSecrets) => Promise<void>;
};

export function TriggerForm({ organizationId, kind, trigger, initialWorkflowId = "", onSaved }: TriggerFormProps) {
  const [workflowId, setWorkflowId] = useState(trigger?.workflowId ?? initialWorkflowId);
  const [schedule, setSchedule] = useState<Schedule>({ cron: trigger?.cron ?? "0 9 * * *", timeZone: trigger?.timeZone ?? ownTimeZone });
  const [sender, setSender] = useState<Sender>(() => (trigger && senderOf(trigger)) ?? (senders[0] as Sender));
  const [wantsRegistering, setRegistering] = useState(trigger?.isRegistered ?? true);
  const registers = wantsRegistering && sender.provider?.registers === true;
  const [methods, setMethods] = useState(() => methodsOf(trigger));
  const [overrides, setOverrides] = useState<NodeOverride[]>(trigger?.overrides ?? []);
  const defaultName = nameFor(kind, schedule, sender);

  async function save(field: (name: string) => string): Promise<void> {
    const common = { name: field("name").trim() || defaultName, prompt: field("prompt"), overrides };
    const wanted = {
      ...common,
      ...(kind === "schedule" ? schedule : readEventFields(field, sender)),
      ...(kind === "webhook" && !sender.provider && { methods, answerWithinSeconds: readSeconds(field) }),
    };
    const asks = registers && !trigger?.isRegistered;
    const ofProvider = sender.provider && {
      credentialId: field("credentialId"),
      takesBots: field("takesBots") === "yes",
      ...(asks && { register: true as const }),
    };
    const saved = trigger
      ? await changeTrigger(organizationId, trigger.id, { ...wanted, ...(kind === "webhook" && ofProvider) })
      : await createTrigger(organizationId, {
          ...wanted,
          kind,
          workflowId,
          ...(kind === "webhook" && { ...signing(sender), ...ofProvider }),
        });
    await onSaved(saved);
  }

  return (
    <Form wide submit={trigger ? "Save" : "Create"} send={save}>
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
      {kind === "schedule" && <ScheduleFields organizationId={organizationId} schedule={schedule} onChange={setSchedule} />}
      {kind === "webhook" && (
        <WebhookFields
          {...{ organizationId, trigger, sender, methods, registers }}
          onSender={setSender}
          onMethods={setMethods}
          onRegisters={setRegistering}
        />
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
      {workflowId && <OverridesField organizationId={organizationId} workflowId={workflowId} value={overrides} onChange={setOverrides} />}
    </Form>
  );
}

type WebhookFieldsProps = {
  organizationId: string;
  trigger: Trigger | undefined;
  sender: Sender;
  methods: WebhookMethod[];
  onSender: (sender: Sender) => void;
  onMethods: (methods: WebhookMethod[]) => void;
  registers: boolean;
  onRegisters: (registers: boolean) => void;
};

function WebhookFields({ organizationId, trigger, sender, methods, registers, ...on }: WebhookFieldsProps) {
  return (
    <>
      {!trigger && <SenderField sender={sender} registers={registers} onChange={on.onSender} />}
      {sender.provider?.registers && !trigger?.isRegistered && <RegisterField sender={sender} isOn={registers} onChange={on.onRegisters} />}
      <SigningAccountField key={sender.id} {...{ organizationId, sender, registers }} initial={trigger?.credentialId ?? ""} />
      {!sender.provider && <MethodsField methods={methods} onChange={on.onMethods} />}
      <EventFields key={`${sender.id} events`} sender={sender} registers={registers} trigger={trigger} />
      {sender.provider && <BotsField key={`${sender.id} bots`} sender={sender} initial={trigger?.takesBots ?? false} />}
      {!sender.provider && <AnswerField initial={trigger?.answerWithinSeconds ?? null} />}
    </>
  );
}

const readSeconds = (field: (name: string) => string): number | null => Number(field("answerWithinSeconds")) || null;

const methodsOf = (trigger: Trigger | undefined): WebhookMethod[] => trigger?.methods ?? ["POST"];

function PromptField({ kind, initial }: { kind: Trigger["kind"]; initial: string }) {
  const empty = kind === "webhook" ? " Empty, a message of a provider counts as the prompt." : "";
  return (
    <Field
      label="Prompt"
      name="prompt"
      hint={`Optional. Nodes read it as $trigger.prompt.${empty}`}
      control={(control) => <textarea {...control} rows={2} maxLength={100_000} defaultValue={initial} />}
    />
  );
}

type OverridesFieldProps = {
  organizationId: string;
  workflowId: string;
  value: NodeOverride[];
  onChange: (value: NodeOverride[]) => void;
};

function OverridesField({ organizationId, workflowId, value, onChange }: OverridesFieldProps) {
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

const signing = ({ provider, signature }: Sender) => (provider ? { provider: provider.id } : { ...(signature && { signature }) });

function nameFor(kind: Trigger["kind"], { cron }: Schedule, sender: Sender): string {
  if (kind === "schedule") return describeCron(cron) ?? "Schedule";
  return sender.provider ? `${sender.title} webhook` : "Webhook";
}

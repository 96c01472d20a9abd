import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type WebhookMethod, webhookMethods } from "../../../src/triggers/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { Field } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { type Sender, senders } from "./senders.ts";

type SenderFieldProps = { sender: Sender; registers: boolean; onChange: (sender: Sender) => void };

export function SenderField({ sender, registers, onChange }: SenderFieldProps) {
  return (
    <Field
      label="Who delivers"
      name="provider"
      {...(!registers && { hint: sender.whatToPaste })}
      control={(control) => (
        <select
          {...control}
          value={sender.id}
          onChange={(event) => onChange(senders.find(({ id }) => id === event.target.value) ?? sender)}
        >
          {senders.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      )}
    />
  );
}

type RegisterFieldProps = { sender: Sender; isOn: boolean; onChange: (isOn: boolean) => void };

/** Whether the provider is told the address from here. */
export function RegisterField({ sender, isOn, onChange }: RegisterFieldProps) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="sr-only">Who sets the webhook up</legend>
      <label className="flex items-center gap-2 text-sm font-medium">
        <input
          type="checkbox"
          name="register"
          value="yes"
          checked={isOn}
          onChange={() => onChange(!isOn)}
          className="size-4 accent-accent"
        />
        Set the webhook for me
      </label>
      <p className="text-xs text-muted">
        {sender.title} is told the address with your account, and forgets it when you delete the trigger.{" "}
        {sender.provider?.alsoRegisters}
      </p>
    </fieldset>
  );
}

type SigningAccountFieldProps = {
  organizationId: string;
  sender: Sender;
  registers: boolean;
  credentialType: string;
  initial: string;
};

/** The account whose secret deliveries are checked with. */
export function SigningAccountField({
  organizationId,
  sender,
  registers,
  credentialType,
  initial,
}: SigningAccountFieldProps) {
  const accounts = useQuery(credentialsQuery(organizationId)).data;
  if (!sender.provider) return null;
  const { secretTitle } = sender.provider;
  const fitting = accounts?.filter(({ type }) => type === credentialType) ?? [];
  if (accounts && fitting.length === 0)
    return (
      <Notice kind="hint">
        A {sender.title} account{registers ? "" : ` with a ${secretTitle.toLowerCase()}`} is needed first.{" "}
        <Link
          to="/o/$organizationId/credentials"
          params={{ organizationId }}
          search={{ create: credentialType }}
          className="text-accent underline underline-offset-4"
        >
          Add one
        </Link>
      </Notice>
    );
  return (
    <Field
      label={`${sender.title} account`}
      name="credentialId"
      {...(!registers && { hint: `Deliveries are checked with its field “${secretTitle}”.` })}
      control={(control) => (
        <select {...control} required key={accounts ? "known" : "unknown"} defaultValue={initial || fitting[0]?.id}>
          {fitting.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    />
  );
}

type MethodsFieldProps = { methods: readonly WebhookMethod[]; onChange: (methods: WebhookMethod[]) => void };

/** With which methods somebody may deliver. The last one that is left stays. */
export function MethodsField({ methods, onChange }: MethodsFieldProps) {
  const toggle = (method: WebhookMethod) =>
    onChange(webhookMethods.filter((one) => (one === method ? !methods.includes(one) : methods.includes(one))));
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">Methods</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {webhookMethods.map((method) => (
          <label key={method} className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={methods.includes(method)}
              disabled={methods.length === 1 && methods.includes(method)}
              onChange={() => toggle(method)}
              className="size-4 accent-accent"
            />
            {method}
          </label>
        ))}
      </div>
      <p className="text-xs text-muted">
        Whatever opens an address sends GET, also a preview of a link. Take it only where that does no harm.
      </p>
    </fieldset>
  );
}

/** How long a delivery waits for what its run answers. */
export function AnswerField({ initial }: { initial: number | null }) {
  return (
    <TextField
      label="Wait for an answer of the run, in seconds"
      name="answerWithinSeconds"
      type="number"
      min={1}
      max={30}
      required={false}
      defaultValue={initial ?? ""}
      hint="Empty: deliveries are answered at once. Otherwise with what the node “Respond to webhook” gives or the run ends with, up to 30 seconds."
    />
  );
}

/** Whether events that no person caused start runs too. */
export function BotsField({ sender, initial }: { sender: Sender; initial: boolean }) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="sr-only">Events of bots</legend>
      <label className="flex items-center gap-2 text-sm font-medium">
        <input type="checkbox" name="takesBots" value="yes" defaultChecked={initial} className="size-4 accent-accent" />
        Also take events of bots
      </label>
      <p className="text-xs text-muted">
        Also what your own bot does, and receipts. A workflow that answers in {sender.title} would start itself; after
        too many times in a minute the trigger is turned off.
      </p>
    </fieldset>
  );
}

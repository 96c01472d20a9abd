import type { PollEntry } from "../../../src/catalog/wire.ts";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { faultsBelow } from "../../node-form/panel/faults-below.ts";
import { SchemaForm } from "../../node-form/schema-form.tsx";
import { Field } from "../../parts/field.tsx";
import { useFaults } from "../../parts/form.tsx";
import { FilterField } from "./filter-field.tsx";
import { describePause, listPauses } from "./pauses.ts";
import { PollAccountField, usePollAccount } from "./poll-account-field.tsx";
import { PollSample, useSample } from "./poll-sample.tsx";
import { PollSourceFields } from "./poll-source-fields.tsx";
import { usePoll } from "./poll-words.ts";

export type PollDraft = {
  provider: string;
  event: string;
  parameters: Record<string, unknown>;
  /** Undefined until somebody chose; empty for none. */
  credentialId: string | undefined;
};

export const beginPoll = (trigger: Trigger | undefined): PollDraft => ({
  provider: trigger?.provider ?? "",
  event: trigger?.poll?.event ?? "",
  parameters: trigger?.poll?.parameters ?? {},
  credentialId: trigger?.poll ? (trigger.credentialId ?? "") : undefined,
});

type PollPartProps = {
  organizationId: string;
  trigger: Trigger | undefined;
  draft: PollDraft;
  onChange: (draft: PollDraft) => void;
};

/** What is polled with which account, how often, and what of it starts runs. */
export function PollPart({ organizationId, trigger, draft, onChange }: PollPartProps) {
  const poll = usePoll(draft.provider, draft.event);
  const begin = (source: { provider: string; event: string }) =>
    onChange({
      ...source,
      parameters: {},
      credentialId: source.provider === draft.provider ? draft.credentialId : undefined,
    });
  return (
    <>
      {!trigger && <PollSourceFields provider={draft.provider} poll={poll} onChange={begin} />}
      {poll && (
        <Details
          key={`${draft.provider} ${draft.event}`}
          organizationId={organizationId}
          trigger={trigger}
          draft={draft}
          onChange={onChange}
          poll={poll}
        />
      )}
    </>
  );
}

function Details({ organizationId, trigger, draft, onChange, poll }: PollPartProps & { poll: PollEntry }) {
  const account = usePollAccount(organizationId, poll, draft.credentialId);
  const { chosenId } = account;
  const hasAccount = chosenId !== "";
  const { provider, event, parameters } = draft;
  const canLook = hasAccount || poll.worksWithoutAccount;
  const sample = useSample(
    organizationId,
    canLook ? { provider, event, parameters, ...(hasAccount && { credentialId: chosenId }) } : undefined,
  );
  const ofForm = faultsBelow(useFaults(), "/poll/parameters");
  return (
    <>
      {poll.credentials.length > 0 && (
        <PollAccountField
          organizationId={organizationId}
          poll={poll}
          account={account}
          onChange={(credentialId) => onChange({ ...draft, credentialId })}
        />
      )}
      <SchemaForm
        schema={poll.parametersSchema}
        value={parameters}
        onChange={(next) => onChange({ ...draft, parameters: next })}
        faults={sample.faults.length > 0 ? sample.faults : ofForm}
        choicesFrom={hasAccount ? { organizationId, credentialId: chosenId } : undefined}
        // With these ids the form around it finds the fields that the server names.
        idPrefix="poll/parameters"
      />
      {canLook && <PollSample sample={sample} />}
      <PaceField poll={poll} chosen={trigger?.poll?.everySeconds ?? null} />
      <ExistingField isNew={!trigger} initial={trigger?.poll?.takesExisting ?? false} />
      <FilterField initial={trigger?.filter} example={'$contains($trigger.prompt, "invoice")'} />
    </>
  );
}

function PaceField({ poll, chosen }: { poll: PollEntry; chosen: number | null }) {
  const { least, usual } = poll.everySeconds;
  return (
    <Field
      label="Look at least every"
      name="everySeconds"
      hint={`After something new it looks more often for a while, up to once in ${describePause(least)}.`}
      control={(control) => (
        <select {...control} defaultValue={chosen ?? ""}>
          <option value="">{describePause(usual)} (usual)</option>
          {listPauses(least, chosen).map((seconds) => (
            <option key={seconds} value={seconds}>
              {describePause(seconds)}
            </option>
          ))}
        </select>
      )}
    />
  );
}

function ExistingField({ isNew, initial }: { isNew: boolean; initial: boolean }) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="sr-only">What is there already</legend>
      <label className="flex items-center gap-2 text-sm font-medium">
        <input
          type="checkbox"
          name="takesExisting"
          value="yes"
          defaultChecked={initial}
          className="size-4 accent-accent"
        />
        Also start runs for what is there already
      </label>
      <p className="text-xs text-muted">
        {isNew
          ? "Otherwise only what comes from now on starts runs."
          : "Counts when it begins anew: when you change where it looks or with which account, and not when you turn it on again."}
      </p>
    </fieldset>
  );
}

type ReadPoll = { field: (name: string) => string; draft: PollDraft; trigger: Trigger | undefined };

/** What the part says, as the API takes it. Which service is polled is only told of a new one. */
export function readPoll({ field, draft: { provider, event, parameters }, trigger }: ReadPoll) {
  const credentialId = field("credentialId");
  const poll = {
    event,
    parameters,
    everySeconds: Number(field("everySeconds")) || null,
    takesExisting: field("takesExisting") === "yes",
  };
  return {
    filter: field("filter").trim(),
    ...(credentialId && { credentialId }),
    ...(!trigger && { provider }),
    poll,
  };
}

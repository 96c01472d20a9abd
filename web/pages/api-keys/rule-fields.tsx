import { useId } from "react";
import { useOrganizationServers } from "../servers/organization-servers.ts";
import { countAllowedTools } from "./allowed-tools.ts";
import { AllowedTools } from "./allowed-tools.tsx";
import { RuleEntry } from "./rule-entry.tsx";
import { RulePicker } from "./rule-picker.tsx";

type RuleFieldsProps = {
  organizationId: string;
  /** Null: all tools. */
  rules: string[] | null;
  onChange: (rules: string[] | null) => void;
  fault: string | undefined;
};

/** Which tools a key may call: all, or those that fit its rules. Says at once what is left. */
export function RuleFields({ organizationId, rules, onChange, fault }: RuleFieldsProps) {
  const id = useId();
  const servers = useOrganizationServers(organizationId).servers?.filter(({ usesOAuthOnly }) => !usesOAuthOnly);
  const total = servers && countAllowedTools(servers, null);
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-1.5 text-sm font-medium">Tools it may call</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
        <label className="flex cursor-pointer items-center gap-2">
          <input
            type="radio"
            name={id}
            className="size-4 accent-accent"
            checked={rules === null}
            onChange={() => onChange(null)}
          />
          All tools{total !== undefined && `, now ${total}`}
        </label>
        <label className="flex cursor-pointer items-center gap-2">
          <input
            type="radio"
            name={id}
            className="size-4 accent-accent"
            checked={rules !== null}
            onChange={() => onChange(rules ?? [])}
          />
          Only some
        </label>
      </div>
      {rules !== null && (
        <div className="grid gap-3 rounded-lg border border-line p-3">
          <RuleEntry rules={rules} servers={servers ?? []} onChange={onChange} />
          {servers && rules.length > 0 && <AllowedTools servers={servers} rules={rules} />}
          {servers && <RulePicker rules={rules} servers={servers} onChange={onChange} />}
        </div>
      )}
      {fault && (
        <p role="alert" className="text-sm text-danger">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

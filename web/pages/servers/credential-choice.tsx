import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useId } from "react";
import { credentialsQuery, defaultCredentialsQuery } from "../../api/credentials.ts";
import { controlLook } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { AccountOptions } from "../credentials/account-options.tsx";

type CredentialChoiceProps = {
  organizationId: string;
  type: string;
  /** Types that may be chosen instead. */
  alsoTakes: string[];
  /** Whether the call may be made without an account. */
  isOptional: boolean;
  value: string;
  onChange: (reference: string, type: string) => void;
};

/** The account a call uses. The default of the organization, or the only one there is, is chosen beforehand. */
export function CredentialChoice({
  organizationId,
  type,
  alsoTakes,
  isOptional,
  value,
  onChange,
}: CredentialChoiceProps) {
  const id = useId();
  const all = useQuery(credentialsQuery(organizationId)).data;
  const accounts = all?.filter((account) => account.type === type || alsoTakes.includes(account.type));
  const own = accounts?.filter((account) => account.type === type);
  const defaults = useQuery(defaultCredentialsQuery(organizationId)).data;
  const usual = defaults?.find((entry) => entry.type === type && entry.apiKeyId === null)?.reference;
  const first = usual ?? (own?.length === 1 ? own[0]?.reference : undefined);
  const preselect = useEffectEvent((reference: string) => value === "" && onChange(reference, type));
  const choose = (reference: string) =>
    onChange(reference, accounts?.find((account) => account.reference === reference)?.type ?? type);
  useEffect(() => {
    if (first) preselect(first);
  }, [first]);

  if (accounts?.length === 0 && isOptional) return null;
  if (accounts?.length === 0)
    return (
      <Notice
        kind="hint"
        action={
          <Link
            to="/o/$organizationId/credentials"
            params={{ organizationId }}
            search={{ create: type }}
            className="text-accent underline underline-offset-4"
          >
            Connect an account
          </Link>
        }
      >
        This tool needs an account, and none of its kind is connected.
      </Notice>
    );
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Account
      </label>
      <select id={id} className={controlLook} value={value} onChange={(event) => choose(event.target.value)}>
        <option value="">{isOptional ? "None" : "Choose an account"}</option>
        <AccountOptions accounts={accounts ?? []} type={type} />
      </select>
    </div>
  );
}

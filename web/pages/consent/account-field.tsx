import { useId, useState } from "react";
import type { ConsentAccount, ConsentDecision, ConsentRequest, ConsentServer } from "../../../src/oauth/wire.ts";
import { controlLook } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";

type AccountFieldProps = {
  organizationId: string;
  /** Of the server. */
  title: string;
  accounts: ConsentAccount[];
  /** Empty: whatever the organization has chosen for calls that name none. */
  value: string;
  onChange: (accountId: string) => void;
};

/** Which account the application works with when it names none. */
export function AccountField({ organizationId, title, accounts, value, onChange }: AccountFieldProps) {
  const id = useId();
  const usual = accounts.find(({ isDefault }) => isDefault);
  if (accounts.length === 0)
    return (
      <Notice kind="warning">
        No {title} account is connected yet, so calls of this application will be refused.{" "}
        <a
          href={`/o/${organizationId}/credentials`}
          target="_blank"
          rel="noreferrer"
          className="underline underline-offset-4"
        >
          Connect one
        </a>{" "}
        before or after you approve.
      </Notice>
    );
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Account
      </label>
      <select
        id={id}
        className={controlLook}
        value={value}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{usual ? `Default: ${describe(usual)}` : "None: each call has to name one"}</option>
        {accounts.map((account) => (
          <option key={account.id} value={account.id}>
            {describe(account)}
          </option>
        ))}
      </select>
      <p id={`${id}-note`} className={value === "" && !usual ? "text-xs text-warning" : "text-xs text-muted"}>
        {value === "" && !usual
          ? "Calls that name no account will be refused."
          : "What the application works with when it names no account."}
      </p>
    </div>
  );
}

type Organization = ConsentRequest["organizations"][number];

/** The accounts that fit, undefined where the tools need none, and the one that is chosen among them. */
export function useAccountChoice(organization: Organization | undefined, server: ConsentServer | undefined) {
  const [picked, setAccountId] = useState<string>();
  const type = server?.credentialType ?? null;
  const accounts =
    organization && type !== null ? organization.accounts.filter((account) => account.type === type) : undefined;
  // What was picked in another organization, or for another server, is not there any more.
  const isThere = picked === "" || accounts?.some(({ id }) => id === picked);
  return { accounts, accountId: (isThere ? picked : undefined) ?? proposeAccount(accounts ?? []), setAccountId };
}

export const toCredentialChoice = (accountId: string): Pick<ConsentDecision, "credentialId"> =>
  accountId === "" ? {} : { credentialId: accountId };

/** The default is left to the organization; where there is none, the only account is meant. */
function proposeAccount([only, ...others]: ConsentAccount[]): string {
  return only && others.length === 0 && !only.isDefault ? only.id : "";
}

const describe = ({ name, health }: ConsentAccount): string => name + (healthWords[health] ?? "");

const healthWords: Partial<Record<ConsentAccount["health"], string>> = {
  needs_reconnect: " (must be connected again)",
  failing: " (does not work)",
};

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { credentialsQuery, defaultCredentialsQuery } from "../../api/credentials.ts";

type DefaultFieldProps = {
  organizationId: string;
  type: string;
  /** Undefined: as it is proposed. */
  value: boolean | undefined;
  onChange: (value: boolean) => void;
};

/** Whether calls that name no account of the type use the new one; nothing to choose where they use another one already. */
export function DefaultField({ organizationId, type, value, onChange }: DefaultFieldProps) {
  const id = useId();
  const { current, isFirst } = useCurrentDefault(organizationId, type);
  if (isFirst === undefined) return null;
  if (current !== undefined)
    return (
      <p className="text-xs text-muted wrap-anywhere">
        Calls that name no account use “{current}”. You can change that on the page of an account.
      </p>
    );
  return (
    <div className="flex items-start gap-2.5 text-sm">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-accent"
        checked={value ?? isFirst}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="grid gap-0.5">
        <label htmlFor={id}>Use this account for calls that name no account</label>
        <p id={`${id}-note`} className="text-xs text-muted">
          AI clients rarely name an account. Without this their calls are refused until they do.
        </p>
      </div>
    </div>
  );
}

/** The name of the account that calls use now, and whether there is no account of the type yet; undefined until that is known. */
export function useCurrentDefault(
  organizationId: string,
  type: string,
): { current: string | undefined; isFirst: boolean | undefined } {
  const accounts = useQuery(credentialsQuery(organizationId)).data?.filter((account) => account.type === type);
  const defaults = useQuery(defaultCredentialsQuery(organizationId)).data;
  if (!accounts || !defaults) return { current: undefined, isFirst: undefined };
  const chosen = defaults.find((entry) => entry.type === type && entry.apiKeyId === null)?.credentialId;
  return { current: accounts.find(({ id }) => id === chosen)?.name, isFirst: accounts.length === 0 };
}

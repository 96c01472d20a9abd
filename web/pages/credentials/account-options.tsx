import { useQuery } from "@tanstack/react-query";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { credentialTypesQuery } from "../../catalog.ts";

/** Accounts to choose from. Where there are also some of other types than the usual one, those stand below the name of theirs. */
export function AccountOptions({ accounts, type }: { accounts: CredentialSummary[]; type: string }) {
  const types = useQuery(credentialTypesQuery).data ?? [];
  const others = types.filter(
    (entry) => entry.type !== type && accounts.some((account) => account.type === entry.type),
  );
  const options = (wanted: string) =>
    accounts
      .filter((account) => account.type === wanted)
      .map((account) => (
        <option key={account.id} value={account.reference}>
          {account.name}
        </option>
      ));
  return (
    <>
      {options(type)}
      {others.map((entry) => (
        <optgroup key={entry.type} label={`${entry.title}, for its own addresses`}>
          {options(entry.type)}
        </optgroup>
      ))}
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { credentialsQuery, defaultCredentialsQuery } from "../../api/credentials.ts";

/** The accounts of a type, and the one among them that calls use when they name none. */
export type TypeAccounts = { accounts: CredentialSummary[]; usual: CredentialSummary | undefined };

/** By type; undefined until that is known. */
export type ConnectedTypes = ReadonlyMap<string, TypeAccounts> | undefined;

export function useConnectedTypes(organizationId: string): ConnectedTypes {
  const credentials = useQuery(credentialsQuery(organizationId)).data;
  const defaults = useQuery(defaultCredentialsQuery(organizationId)).data;
  if (!credentials || !defaults) return undefined;
  const usualIds = new Set(
    defaults.filter(({ apiKeyId }) => apiKeyId === null).map(({ credentialId }) => credentialId),
  );
  const byType = Map.groupBy(credentials, ({ type }) => type);
  return new Map(
    [...byType].map(([type, accounts]) => [type, { accounts, usual: accounts.find(({ id }) => usualIds.has(id)) }]),
  );
}

export const works = ({ health }: CredentialSummary): boolean => health !== "needs_reconnect" && health !== "failing";

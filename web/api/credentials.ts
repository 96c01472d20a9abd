import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { ChoiceList } from "../../src/calls/wire.ts";
import type {
  Credential,
  CredentialChange,
  CredentialSummary,
  connectStart,
  DefaultCredential,
  TestResult,
} from "../../src/vault/wire.ts";
import { get, getAll, type List, patch, path, post, put, remove } from "../request.ts";

export type CredentialUses = {
  workflows: { id: string; name: string; nodes: { id: string; name: string | null; nodeId: string }[] }[];
  triggers: { id: string; name: string }[];
  webhooks: { provider: string; providerTitle: string; place: string | null; triggerName: string }[];
  defaults: { type: string; apiKeyId: string | null; apiKeyName: string | null }[];
};

type NewCredential = { type: string; name: string; data: Record<string, unknown>; makeDefault: boolean };

const base = (organizationId: string) => path`/api/organizations/${organizationId}/credentials`;
const one = (organizationId: string, credentialId: string) => base(organizationId) + path`/${credentialId}`;
const defaultOf = (organizationId: string, type: string) =>
  path`/api/organizations/${organizationId}/default-credentials/${type}`;

export const credentialsKey = (organizationId: string) => ["organizations", organizationId, "credentials"] as const;

export const credentialsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: credentialsKey(organizationId),
    queryFn: () => getAll<CredentialSummary>(base(organizationId)),
  });

/** Only for those who manage credentials. */
export const credentialQuery = (organizationId: string, credentialId: string) =>
  queryOptions({
    queryKey: [...credentialsKey(organizationId), credentialId],
    queryFn: () => get<Credential>(one(organizationId, credentialId)),
  });

export const credentialUsesQuery = (organizationId: string, credentialId: string) =>
  queryOptions({
    queryKey: [...credentialsKey(organizationId), credentialId, "uses"],
    queryFn: () => get<CredentialUses>(`${one(organizationId, credentialId)}/uses`),
    staleTime: 0,
  });

/** An account that can be asked what it offers. */
export type ChoiceSource = { organizationId: string; credentialId: string };
export type ChoiceQuestion = { list: string; parameters: Record<string, string>; search: string };

/** What the account offers for a field; the provider is asked, so not for every look at the field. */
export const choicesQuery = (source: ChoiceSource, question: ChoiceQuestion) =>
  queryOptions({
    queryKey: [...credentialsKey(source.organizationId), source.credentialId, "choices", question],
    queryFn: ({ signal }) => loadChoices(source, question, { signal }),
    // Asked for anew when it is opened a minute later, and never while somebody reads it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });

/** `refresh`: although it was asked a moment ago. */
export const loadChoices = (
  { organizationId, credentialId }: ChoiceSource,
  { list, parameters, search }: ChoiceQuestion,
  { refresh = false, signal }: { refresh?: boolean; signal?: AbortSignal } = {},
) =>
  post<ChoiceList>(one(organizationId, credentialId) + path`/choices/${list}`, { parameters, search, refresh }, signal);

export const defaultCredentialsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...credentialsKey(organizationId), "defaults"],
    queryFn: async () =>
      (await get<List<DefaultCredential>>(path`/api/organizations/${organizationId}/default-credentials`)).data,
  });

export const createCredential = (organizationId: string, body: NewCredential) =>
  post<Credential>(base(organizationId), body);

export const changeCredential = (organizationId: string, credentialId: string, body: CredentialChange) =>
  patch<Credential>(one(organizationId, credentialId), body);

export const testCredential = (organizationId: string, credentialId: string) =>
  post<TestResult>(`${one(organizationId, credentialId)}/test`);

export const connectNewCredential = (organizationId: string, body: NewCredential) =>
  post<z.infer<typeof connectStart>>(`${base(organizationId)}/connect`, body);

export const connectCredential = (organizationId: string, credentialId: string) =>
  post<z.infer<typeof connectStart>>(`${one(organizationId, credentialId)}/connect`);

/** `force`: although workflows use it. */
export const deleteCredential = (organizationId: string, credentialId: string, force: boolean) =>
  remove(`${one(organizationId, credentialId)}?force=${force}`);

export const setDefaultCredential = (organizationId: string, type: string, credentialId: string) =>
  put<DefaultCredential>(defaultOf(organizationId, type), { credentialId });

export const removeDefaultCredential = (organizationId: string, type: string) =>
  remove(defaultOf(organizationId, type));

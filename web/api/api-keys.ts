import { queryOptions } from "@tanstack/react-query";
import type { ApiKey, ApiKeyChange, ApiKeyScope, ApiKeyWithText } from "../../src/identity/wire.ts";
import { getAll, patch, path, post, put, remove } from "../request.ts";

/** Only for owners and admins: the API tells nobody else which keys there are. */
export const apiKeysQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "api-keys"],
    queryFn: () => getAll<ApiKey>(path`/api/organizations/${organizationId}/api-keys`),
  });

export type NewApiKey = { name: string; scopes: ApiKeyScope[]; toolRules: string[] | null; expiresAt?: string };

export const createApiKey = (organizationId: string, body: NewApiKey) =>
  post<ApiKeyWithText>(path`/api/organizations/${organizationId}/api-keys`, body);

export const changeApiKey = (organizationId: string, keyId: string, body: ApiKeyChange) =>
  patch<ApiKey>(path`/api/organizations/${organizationId}/api-keys/${keyId}`, body);

export const regenerateApiKey = (organizationId: string, keyId: string) =>
  post<ApiKeyWithText>(path`/api/organizations/${organizationId}/api-keys/${keyId}/regenerate`);

export const deleteApiKey = (organizationId: string, keyId: string) =>
  remove(path`/api/organizations/${organizationId}/api-keys/${keyId}`);

/** The account that calls with this key use when they name none of that type. */
export const setKeyCredential = (organizationId: string, apiKeyId: string, type: string, credentialId: string) =>
  put<unknown>(path`/api/organizations/${organizationId}/default-credentials/${type}`, { credentialId, apiKeyId });

export const removeKeyCredential = (organizationId: string, apiKeyId: string, type: string) =>
  remove(path`/api/organizations/${organizationId}/default-credentials/${type}?apiKeyId=${apiKeyId}`);

import { z } from "zod";
import { apiKeyRequest, toolRules } from "../identity/wire.ts";
import { pickAction, readOptions, requireOrganization, withParts } from "./command-line.ts";

const inOrganization = z.object({ organization: z.uuid() });
const oneKey = inOrganization.extend({ id: z.uuid() });
const newKey = inOrganization.extend({
  name: apiKeyRequest.shape.name,
  scope: apiKeyRequest.shape.scopes,
  expiresAt: apiKeyRequest.shape.expiresAt,
  toolRule: toolRules.optional(),
});

export async function keys(words: string[]) {
  const { action, rest } = pickAction(words, { create, list, regenerate, delete: remove });
  return await action(rest);
}

async function create(words: string[]) {
  const { organization, name, scope, expiresAt, toolRule } = readOptions(words, newKey);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    return await parts.identity.apiKeys.create(organization, {
      name,
      scopes: scope,
      expiresAt,
      toolRules: toolRule,
      createdBy: null,
    });
  });
}

async function list(words: string[]) {
  const { organization } = readOptions(words, inOrganization);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    return await parts.identity.apiKeys.list(organization);
  });
}

async function regenerate(words: string[]) {
  const { organization, id } = readOptions(words, oneKey);
  return await withParts(({ identity }) => identity.apiKeys.regenerate(organization, id));
}

async function remove(words: string[]) {
  const { organization, id } = readOptions(words, oneKey);
  return await withParts(async ({ identity }) => {
    await identity.apiKeys.revoke(organization, id);
    return { id, deleted: true };
  });
}

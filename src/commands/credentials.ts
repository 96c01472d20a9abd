import { z } from "zod";
import { readJson } from "../base/json.ts";
import { credentialRequest } from "../vault/wire.ts";
import { pickAction, readOptions, requireOrganization, withParts } from "./command-line.ts";
import { readOptionsWithSecret } from "./secret-option.ts";

const inOrganization = z.object({ organization: z.uuid() });
const oneCredential = inOrganization.extend({ id: z.uuid() });
const newCredential = inOrganization.extend({
  type: credentialRequest.shape.type,
  name: credentialRequest.shape.name,
  data: z.string(),
  default: z.boolean().optional(),
});

export async function credentials(words: string[]) {
  const { action, rest } = pickAction(words, { create, list, delete: remove });
  return await action(rest);
}

async function create(words: string[]) {
  const {
    organization,
    data: text,
    default: makeDefault = false,
    ...request
  } = await readOptionsWithSecret(words, newCredential, { secret: "data" });
  const data = credentialRequest.shape.data.safeParse(readJson(Buffer.from(text)));
  if (!data.success) throw new Error("--data: must be a JSON object");
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    const account = { ...request, data: data.data, createdBy: null, makeDefault };
    const { id, reference } = await parts.vault.credentials.create(organization, account);
    return { id, reference, ...(makeDefault ? { default: true } : {}) };
  });
}

async function list(words: string[]) {
  const { organization } = readOptions(words, inOrganization);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    return await parts.vault.credentials.list(organization);
  });
}

async function remove(words: string[]) {
  const { organization, id } = readOptions(words, oneCredential);
  return await withParts(async ({ vault }) => {
    await vault.credentials.remove({ organizationId: organization, credentialId: id });
    return { id, deleted: true };
  });
}

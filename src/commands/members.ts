import { z } from "zod";
import { invitationRequest, role, setupRequest } from "../identity/wire.ts";
import { pickAction, readOptions, requireOrganization, withParts } from "./command-line.ts";
import { readOptionsWithSecret } from "./secret-option.ts";

const inOrganization = z.object({ organization: z.uuid() });
const oneMember = inOrganization.extend({ id: z.uuid() });
const newMember = inOrganization.extend({
  email: invitationRequest.shape.email,
  role,
  name: setupRequest.shape.name,
  password: setupRequest.shape.password.optional(),
});

export async function members(words: string[]) {
  const { action, rest } = pickAction(words, { list, add, "set-role": setRole, remove });
  return await action(rest);
}

async function list(words: string[]) {
  const { organization } = readOptions(words, inOrganization);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    return await parts.identity.organizations.members(organization);
  });
}

/** With a password the account is made first; without one it must exist. */
async function add(words: string[]) {
  const { organization, email, password, name, ...rest } = await readOptionsWithSecret(words, newMember, {
    secret: "password",
  });
  return await withParts(async (parts) => {
    const { accounts, organizations } = parts.identity;
    await requireOrganization(parts, organization);
    if (password !== undefined) await accounts.create({ name, email, password });
    return await organizations.addMember(organization, email, rest.role);
  });
}

async function setRole(words: string[]) {
  const { organization, id, role: newRole } = readOptions(words, oneMember.extend({ role }));
  return await withParts(async ({ identity }) => {
    await identity.organizations.setRole(organization, id, { actorRole: "owner", role: newRole });
    return { id, role: newRole };
  });
}

async function remove(words: string[]) {
  const { organization, id } = readOptions(words, oneMember);
  return await withParts(async ({ identity }) => {
    await identity.organizations.removeMember(organization, id, { actorRole: "owner" });
    return { id, removed: true };
  });
}

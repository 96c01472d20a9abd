import { z } from "zod";
import { pickAction, readOptions, withParts } from "./command-line.ts";

export async function organizations(words: string[]) {
  const { action, rest } = pickAction(words, { list, "set-plan": setPlan });
  return await action(rest);
}

async function list(words: string[]) {
  readOptions(words, z.object({}));
  return await withParts(({ identity }) => identity.organizations.listAll());
}

async function setPlan(words: string[]) {
  const { organization, plan } = readOptions(words, z.object({ organization: z.uuid(), plan: z.string().min(1) }));
  return await withParts(async ({ plans }) => {
    await plans.setPlan(organization, plan);
    return { organizationId: organization, plan };
  });
}

import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { readConfig, readEnvironment } from "../config.ts";
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
  if (readConfig(readEnvironment()).deploymentMode !== "cloud") throw new Refusal("conflict", noPlans);
  return await withParts(async ({ plans }) => {
    await plans.setPlan(organization, plan);
    return { organizationId: organization, plan };
  });
}

const noPlans =
  "Plans only count where DEPLOYMENT_MODE is cloud. This installation is self-hosted: SEMAPHORE_MAX_CONCURRENT_EXECUTIONS says how many calls run at once.";

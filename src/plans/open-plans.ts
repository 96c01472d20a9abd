import type { Ground } from "../ground/ground.ts";
import { createPlans } from "./plans.ts";

/** Plans and credits, which count where the installation is hosted; elsewhere every organization has the cap of the settings. */
export function openPlans({ db, config }: Ground) {
  const plans = createPlans({ db });
  const { deploymentMode, maxConcurrentExecutions: cap } = config;
  if (deploymentMode === "cloud") return { ...plans, credits: plans };
  return {
    ...plans,
    credits: undefined,
    capOf: async (organizationIds: string[]) => new Map(organizationIds.map((id) => [id, cap])),
  };
}

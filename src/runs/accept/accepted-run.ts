import type { z } from "zod";
import type { acceptedRun } from "../wire.ts";

type Accepted = { organizationId: string; workflowId: string; id: string; createdAt: Date };

/** What a person is answered who started a run, with where to follow it. */
export function toAcceptedRun(
  platformBaseUrl: string,
  { organizationId, workflowId, id, createdAt }: Accepted,
): z.infer<typeof acceptedRun> {
  const links = {
    self: `${platformBaseUrl}/api/organizations/${organizationId}/runs/${id}`,
    ui: `${platformBaseUrl}/o/${organizationId}/runs/${id}`,
  };
  return { id, status: "pending", workflowId, createdAt: createdAt.toISOString(), links };
}

import { Refusal } from "../../base/refusal.ts";

type Found = { version: number; isActive: boolean };

/** Runs follow published versions only; a draft is nothing to them. */
export function requirePublished({ version }: Pick<Found, "version">): void {
  if (version > 0) return;
  throw new Refusal("workflow_not_published", "This workflow was never published, so it has nothing to run.");
}

export function requireRunnable(workflow: Found): void {
  requirePublished(workflow);
  if (!workflow.isActive) throw new Refusal("workflow_inactive", "This workflow is turned off.");
}

import { Refusal } from "../base/refusal.ts";
import type { DraftRow } from "./store.ts";

export const workflowNotFound = () =>
  new Refusal("workflow_not_found", "There is no such workflow in this organization.");

export const neverPublished = (advice: string) =>
  new Refusal("workflow_not_published", `This workflow was never published. ${advice}`);

export const noDraft = () => new Refusal("not_found", "This workflow has no draft.");

export async function requireRow<Row>(found: Promise<Row | undefined>): Promise<Row> {
  const row = await found;
  if (row === undefined) throw workflowNotFound();
  return row;
}

export function requireVersion(version: number, expected = version): void {
  if (version === expected) return;
  const message = `Somebody else has saved this workflow: it is at version ${version} now. Load it and make the change again.`;
  throw new Refusal("conflict", message);
}

/** Whoever changes a draft says which one, so that nobody overwrites what somebody else saved meanwhile. */
export function requireDraft(draft: DraftRow | undefined, expected: number | undefined): void {
  if (draft?.revision === expected) return;
  if (!draft) throw new Refusal("conflict", "The draft was published or discarded meanwhile. Load the workflow again.");
  const who = draft.saved_by_name ?? "Somebody";
  const message = `${who} has saved a draft of this workflow: it is at revision ${draft.revision} now. Load it and make the change again.`;
  throw new Refusal("conflict", message);
}

export async function refuseTakenTool<Value>(save: () => Promise<Value>): Promise<Value> {
  try {
    return await save();
  } catch (error) {
    if ((error as { constraint?: unknown }).constraint !== "workflow_by_tool") throw error;
    throw new Refusal("conflict", "Another workflow of this organization is offered as a tool under this name.", {
      errors: [{ pointer: "/tool/name", detail: "is the name of another workflow's tool" }],
    });
  }
}

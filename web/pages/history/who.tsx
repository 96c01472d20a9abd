import { Clock, KeyRound, PlugZap, Radar, TriangleAlert, User, Webhook, Workflow } from "lucide-react";
import type { ToolCallEntry } from "../../../src/history/wire.ts";
import type { RunEntry } from "../../../src/runs/wire.ts";

type Names = Pick<ToolCallEntry, "apiKeyName" | "apiKeyDeleted" | "oauthClientName" | "userName">;
type WhoProps = { of: Names & Partial<Pick<RunEntry, "executionType">> };

/** Whose call or run it was: a key, a client for a person, a person, or what starts runs by itself. */
export function Who({ of }: WhoProps) {
  const { Icon, text } = describeWho(of);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <Icon className="size-3.5 shrink-0 text-muted" aria-hidden="true" />
      <span className="truncate" title={text}>
        {text}
      </span>
    </span>
  );
}

export function describeWho({ apiKeyName, apiKeyDeleted, oauthClientName, userName, executionType }: WhoProps["of"]) {
  if (apiKeyName !== null) return { Icon: KeyRound, text: `Key ${apiKeyName}${apiKeyDeleted ? " (deleted)" : ""}` };
  if (oauthClientName !== null)
    return { Icon: PlugZap, text: userName ? `${oauthClientName} for ${userName}` : oauthClientName };
  if (userName !== null) return { Icon: User, text: userName };
  if (executionType === "schedule") return { Icon: Clock, text: "Schedule" };
  if (executionType === "webhook") return { Icon: Webhook, text: "Webhook" };
  if (executionType === "poll") return { Icon: Radar, text: "Polling" };
  if (executionType === "error") return { Icon: TriangleAlert, text: "A run that failed" };
  return { Icon: Workflow, text: "Workflow" };
}

/** What started a run. */
export const startWords: Record<RunEntry["executionType"], string> = {
  manual: "A person",
  api: "API",
  schedule: "Schedule",
  webhook: "Webhook",
  poll: "Polling",
  workflow: "Another workflow",
  tool: "Tool call",
  editor: "Editor",
  step: "Step in the editor",
  error: "A run that failed",
};

import type { SpawnedServer } from "../support/spawned-server.ts";
import type { Team } from "./yard.ts";

/** Asks a platform for a run of the team's workflow, whose nodes ask the provider for titles that begin with the prompt. */
export async function requestRun(
  { platformUrl }: SpawnedServer,
  { key, workflowId }: Pick<Team, "key" | "workflowId">,
  prompt: string,
) {
  const response = await fetch(`${platformUrl}/task-runner/trigger/${workflowId}`, {
    method: "POST",
    headers: { "x-api-key": key.key, "content-type": "application/json" },
    body: JSON.stringify({ runtimePrompt: prompt }),
  });
  const { id, code } = (await response.json()) as { id: string; code?: string };
  return { status: response.status, id, code };
}

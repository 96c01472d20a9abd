import { endSentence } from "../base/end-sentence.ts";
import { describeUnknownName } from "../base/nearest-names.ts";
import { Refusal } from "../base/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ToolCall } from "../history/wire.ts";
import type { Asker, RunAndRead } from "./run-and-read.ts";
import type { ToolCallRequest } from "./wire.ts";

export type TryTool = ReturnType<typeof createTryTool>;

type Options = { actions: Catalog["actions"]; runAndRead: RunAndRead };

type TriedCall = Asker & { toolName: string; request: ToolCallRequest };

/** Runs a provider's tool because a person wants to see what it does. */
export function createTryTool({ actions, runAndRead }: Options) {
  return async ({ toolName, request, ...asker }: TriedCall): Promise<ToolCall> => {
    const action = actions.get(toolName);
    if (!action)
      throw new Refusal(
        "not_found",
        endSentence(`No provider has a tool ${describeUnknownName(toolName, actions.keys())}`),
      );
    const { parameters, credentials: references, confirm } = request;
    return await runAndRead({ ...asker, action, parameters, references, confirm });
  };
}

import { endSentence } from "../base/end-sentence.ts";
import { describeUnknownName } from "../base/nearest-names.ts";
import { Refusal } from "../base/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ToolCall } from "../history/wire.ts";
import type { Asker, RunAndRead } from "./run-and-read.ts";
import type { ToolCallRequest } from "./wire.ts";

export type TryTool = ReturnType<typeof createTryTool>;

type Options = { nodes: Catalog["nodes"]; runAndRead: RunAndRead };

type TriedCall = Asker & { toolName: string; request: ToolCallRequest };

/** Runs a provider's tool because a person wants to see what it does. */
export function createTryTool({ nodes, runAndRead }: Options) {
  return async ({ toolName, request, ...asker }: TriedCall): Promise<ToolCall> => {
    const node = nodes.get(toolName);
    if (!node) throw new Refusal("not_found", endSentence(`No provider has a tool ${describeUnknownName(toolName, nodes.keys())}`));
    const { parameters, credentials: references, confirm } = request;
    return await runAndRead({ ...asker, node, parameters, references, confirm });
  };
}

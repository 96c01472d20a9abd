import { z } from "zod";
import { type DefaultModels, defaultModels } from "../base/default-models.ts";
import { fieldMessage } from "../base/field-message.ts";
import { Refusal } from "../base/refusal.ts";
import type { Credential } from "../contract/credential.ts";
import type { Tool } from "../contract/tool.ts";
import { type JsonSchema, toJsonSchema } from "./json-schema.ts";
import type { LoadedProvider } from "./load-providers.ts";

export type Catalog = ReturnType<typeof createCatalog>;

/** A node: the same thing on the canvas, in a run and as an MCP tool. */
export type Node = {
  tool: Tool;
  provider: LoadedProvider;
  /** Types of accounts that it takes in place of its own. */
  alsoTakes: readonly string[];
  /** Without `credentials`, which every caller passes in its own way. */
  inputSchema: JsonSchema;
  /** One item of the answer. */
  outputSchema: JsonSchema;
};

/** Everything the installation can do, compiled once. */
export function createCatalog(loaded: LoadedProvider[], models: DefaultModels = defaultModels) {
  const providers = loaded.map((provider) => ({ ...provider, tools: provider.tools.map((tool) => withDefaultModel(tool, models)) }));
  const nodes = new Map<string, Node>();
  const reachedOverHttp = providers.flatMap(({ credential }) => (credential && credential.baseUrl !== null ? [credential.type] : []));
  const otherTypes = ({ credential }: Tool) => reachedOverHttp.filter((type) => type !== credential?.type);
  const credentialTypes = new Map<string, { definition: Credential; provider: LoadedProvider }>();
  for (const provider of providers) {
    if (provider.credential) credentialTypes.set(provider.credential.type, { definition: provider.credential, provider });
    for (const tool of provider.tools)
      nodes.set(tool.id, {
        tool,
        provider,
        alsoTakes: tool.takesOtherAccounts ? otherTypes(tool) : [],
        inputSchema: toJsonSchema(tool.input, "input"),
        outputSchema: toJsonSchema(tool.output, "output"),
      });
  }
  return { providers, nodes, credentialTypes };
}

/** The tool with the model that the installation sets as its default. */
function withDefaultModel(tool: Tool, models: DefaultModels): Tool {
  if (tool.defaultModel === undefined) return tool;
  const { field, of } = tool.defaultModel;
  const declared: unknown = tool.input.shape[field];
  if (!(declared instanceof z.ZodDefault)) throw new Error(`${tool.id} has no default for ${field}`);
  const set = (declared.removeDefault() as z.ZodString).default(models[of]).meta(declared.meta() ?? {});
  return { ...tool, input: tool.input.extend({ [field]: set }) };
}

/** The parameters with defaults filled in, or a refusal that names every wrong field. The same words in form, run and tool. */
export function readInput(tool: Pick<Tool, "input">, parameters: unknown): Record<string, unknown> {
  const result = tool.input.safeParse(parameters, { error: fieldMessage });
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(""),
    detail: message,
  }));
  const first = errors[0];
  throw new Refusal("validation_failed", `${first?.pointer.replace(/^\//, "") || "The input"} ${first?.detail ?? "is not valid"}.`, {
    errors,
  });
}

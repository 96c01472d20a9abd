import { z } from "zod";
import { type DefaultModels, defaultModels } from "../base/default-models.ts";
import { fieldMessage } from "../base/field-message.ts";
import { Refusal } from "../base/refusal.ts";
import type { Action } from "../contract/action.ts";
import type { Credential } from "../contract/credential.ts";
import { type JsonSchema, toJsonSchema } from "./json-schema.ts";
import type { LoadedProvider } from "./load-providers.ts";

export type Catalog = ReturnType<typeof createCatalog>;

/** An action with all that is known of it: the same thing as a node on the canvas, in a run and as an MCP tool. */
export type CatalogAction = Action & {
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
  const providers = loaded.map((provider) => ({
    ...provider,
    actions: provider.actions.map((action) => withDefaultModel(action, models)),
  }));
  const actions = new Map<string, CatalogAction>();
  const reachedOverHttp = providers.flatMap(({ credential }) =>
    credential && credential.baseUrl !== null ? [credential.type] : [],
  );
  const otherTypes = ({ credential }: Action) => reachedOverHttp.filter((type) => type !== credential?.type);
  const credentialTypes = new Map<string, { definition: Credential; provider: LoadedProvider }>();
  for (const provider of providers) {
    if (provider.credential)
      credentialTypes.set(provider.credential.type, { definition: provider.credential, provider });
    for (const action of provider.actions)
      actions.set(action.id, {
        ...action,
        provider,
        alsoTakes: action.takesOtherAccounts ? otherTypes(action) : [],
        inputSchema: toJsonSchema(action.input, "input"),
        outputSchema: toJsonSchema(action.output, "output"),
      });
  }
  return { providers, actions, credentialTypes };
}

/** The action with the model that the installation sets as its default. */
function withDefaultModel(action: Action, models: DefaultModels): Action {
  if (action.defaultModel === undefined) return action;
  const { field, of } = action.defaultModel;
  const declared: unknown = action.input.shape[field];
  if (!(declared instanceof z.ZodDefault)) throw new Error(`${action.id} has no default for ${field}`);
  const set = (declared.removeDefault() as z.ZodString).default(models[of]).meta(declared.meta() ?? {});
  return { ...action, input: action.input.extend({ [field]: set }) };
}

/** The parameters with defaults filled in, or a refusal that names every wrong field. The same words in form, run and tool. */
export function readInput(action: Pick<Action, "input">, parameters: unknown): Record<string, unknown> {
  const result = action.input.safeParse(parameters, { error: fieldMessage });
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(""),
    detail: message,
  }));
  const first = errors[0];
  throw new Refusal(
    "validation_failed",
    `${first?.pointer.replace(/^\//, "") || "The input"} ${first?.detail ?? "is not valid"}.`,
    {
      errors,
    },
  );
}

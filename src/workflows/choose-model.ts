import type { DefaultModels } from "../base/default-models.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Vault } from "../vault/vault.ts";
import { createModel } from "./model.ts";
import type { Model, ModelConfig, ModelProvider } from "./model-contract.ts";

type Options = {
  config: ModelConfig | undefined;
  /** What is asked where the installation's own model is another provider's. */
  models: DefaultModels;
  fetch: SafeFetch;
  vault: Pick<Vault, "check" | "open">;
};

type ModelRequest = {
  organizationId: string;
  /** Credential type → reference, as the node or an override of this run has them. */
  credentials: Readonly<Record<string, string>>;
  /** Types the node itself needs: those accounts are for its own calls. */
  ownTypes: readonly string[];
};

type CredentialKind = { provider: ModelProvider; version: string; address: string; model: keyof DefaultModels };

/** What a credential of a model provider leaves open. */
const kinds: Record<string, CredentialKind> = {
  openai: { provider: "openai-compatible", address: "https://api.openai.com/v1", version: "", model: "openai" },
  anthropic: { provider: "anthropic", address: "https://api.anthropic.com", version: "/v1", model: "anthropic" },
  gemini: {
    provider: "gemini",
    address: "https://generativelanguage.googleapis.com",
    version: "/v1beta",
    model: "gemini",
  },
};

/** A node of any other type may carry one of these, to have a model of the organization's own. */
export const modelCredentialTypes: readonly string[] = Object.keys(kinds);

/** The model a node asks: that of its own extra credential, otherwise the installation's, otherwise none. Opens a credential only when it is asked. */
export function createChooseModel({ config, models, fetch, vault }: Options) {
  const configured = config && createModel({ config, fetch });

  const nameFor = (kind: CredentialKind): string =>
    config?.provider === kind.provider ? config.model : models[kind.model];

  async function open(
    { organizationId, credentials }: ModelRequest,
    type: string,
    kind: CredentialKind,
  ): Promise<Model> {
    const [checked] = await vault.check(organizationId, { [type]: credentials[type] }, [type]);
    if (!checked) throw new Error("a checked reference gave no credential");
    const { data } = await vault.open(checked);
    const { apiKey, organization, baseUrl } = data();
    const address = typeof baseUrl === "string" ? baseUrl.replace(/\/+$/, "") : kind.address;
    return createModel({
      fetch,
      config: {
        provider: kind.provider,
        model: nameFor(kind),
        baseUrl: address + kind.version,
        apiKey: String(apiKey),
        headers: typeof organization === "string" ? { "openai-organization": organization } : {},
      },
    });
  }

  return (request: ModelRequest): Model | undefined => {
    const type = modelCredentialTypes.find(
      (one) => Object.hasOwn(request.credentials, one) && !request.ownTypes.includes(one),
    );
    const kind = type === undefined ? undefined : kinds[type];
    if (type === undefined || !kind) return configured;
    return {
      name: nameFor(kind),
      answer: async (question) => await (await open(request, type, kind)).answer(question),
      answerAs: async (schema, question) => await (await open(request, type, kind)).answerAs(schema, question),
    };
  };
}

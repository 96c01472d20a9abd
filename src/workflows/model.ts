import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Model, ModelConfig } from "./model-contract.ts";

/** A language model, reached only through the guarded fetch. Nothing it is asked or says contains its key. */
export function createModel({ config, fetch }: { config: ModelConfig; fetch: SafeFetch }): Model {
  // The libraries take seconds and 60 MB to load, and most installations have no model.
  const connect = async () => (await import("./connect-model.ts")).connectModel({ config, fetch });
  let connected: Promise<Model> | undefined;
  const model = (): Promise<Model> => (connected ??= connect());
  return {
    name: config.model,
    answer: async (question) => await (await model()).answer(question),
    answerAs: async (schema, question) => await (await model()).answerAs(schema, question),
  };
}

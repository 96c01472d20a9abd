import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { readCommonFault } from "../../contract/fault.ts";
import { listModels } from "./client.ts";

const overloadedStatus = 529;

export const anthropicCredential = defineCredential({
  type: "anthropic",
  title: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  headers: { "anthropic-version": "2023-06-01" },
  variants: {
    apiKey: withFields("API key", { apiKey: secret("API key.") }, ({ apiKey }) => ({ headers: { "x-api-key": apiKey } })),
  },
  readFault: (body, response) => ({ ...readCommonFault(body, response), isTemporary: response.status === overloadedStatus }),
  check: async ({ http }) => void (await http.json({ path: "/v1/models" })),
  choices: { models: ({ http }) => listModels(http) },
});

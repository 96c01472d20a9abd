import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { listModels } from "./client.ts";

export const anthropicCredential = defineCredential({
  type: "anthropic",
  title: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  headers: { "anthropic-version": "2023-06-01" },
  variants: {
    apiKey: withFields("API key", { apiKey: secret("API key.") }, ({ apiKey }) => ({
      headers: { "x-api-key": apiKey },
    })),
  },
  check: async ({ http }) => void (await http.json({ path: "/v1/models" })),
  choices: { models: { load: ({ http }) => listModels(http) } },
});

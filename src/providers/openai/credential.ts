import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { listImageModels, listTextModels } from "./client.ts";

export const openaiCredential = defineCredential({
  type: "openai",
  title: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  variants: {
    bearer: withFields(
      "API key",
      { apiKey: secret(), organization: z.string().min(1).optional().describe("Organization that is billed, when the key has several.") },
      ({ apiKey, organization }) => ({
        headers: { authorization: `Bearer ${apiKey}`, ...(organization === undefined ? {} : { "openai-organization": organization }) },
      }),
    ),
  },
  check: async ({ http }) => void (await http.json({ path: "/models" })),
  choices: { models: ({ http }) => listTextModels(http), imageModels: ({ http }) => listImageModels(http) },
});

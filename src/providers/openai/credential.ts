import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { readCommonFault } from "../../contract/fault.ts";
import { listImageModels, listTextModels } from "./client.ts";

export const openaiCredential = defineCredential({
  type: "openai",
  title: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  variants: {
    bearer: withFields(
      "API key",
      {
        apiKey: secret(),
        organization: z.string().min(1).optional().describe("Organization that is billed, when the key has several."),
      },
      ({ apiKey, organization }) => ({
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(organization === undefined ? {} : { "openai-organization": organization }),
        },
      }),
    ),
  },
  // Restricted keys are refused with 401 or 403, and with words only.
  readFault: (body, response) => {
    const fault = readCommonFault(body, response);
    if (!/insufficient permissions|missing scopes/i.test(fault.message ?? "")) return fault;
    const named = /missing scopes: ([\w.]+(?:, ?[\w.]+)*)/i.exec(fault.message ?? "")?.[1] ?? "";
    return { ...fault, lacksPermission: true, missingScopes: named.split(/, ?|\.$/).filter(Boolean) };
  },
  check: async ({ http }) => void (await http.json({ path: "/models" })),
  choices: {
    models: { load: ({ http }) => listTextModels(http) },
    imageModels: { load: ({ http }) => listImageModels(http) },
  },
});

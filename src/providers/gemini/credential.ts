import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { listModels } from "./client.ts";

// Google answers these with 400 and 403.
const refusedKeys = new Set(["API_KEY_INVALID", "API_KEY_EXPIRED", "API_KEY_SERVICE_BLOCKED"]);

export const geminiCredential = defineCredential({
  type: "gemini",
  title: "Google Gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  variants: {
    apiKey: withFields("API key", { apiKey: secret("API key.") }, ({ apiKey }) => ({
      headers: { "x-goog-api-key": apiKey },
    })),
  },
  readFault: (body) => ({
    code: textAt(body, "error", "status"),
    message: textAt(body, "error", "message"),
    retryAfterMs: readRetryDelayMs(listAt(body, "error", "details")),
    isUnauthorized: listAt(body, "error", "details").some((detail) => refusedKeys.has(textAt(detail, "reason") ?? "")),
  }),
  check: async ({ http }) => void (await http.json({ path: "/v1beta/models" })),
  choices: { models: { load: ({ http }) => listModels(http) } },
});

function readRetryDelayMs(details: unknown[]): number | undefined {
  const seconds = details
    .map((detail) => /^(\d+(?:\.\d+)?)s$/.exec(textAt(detail, "retryDelay") ?? "")?.[1])
    .find((delay) => delay !== undefined);
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

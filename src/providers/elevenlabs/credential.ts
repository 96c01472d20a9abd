import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import type { ProviderFault } from "../../contract/fault.ts";
import { textAt } from "../../contract/read.ts";
import { listModels, listVoices } from "./client.ts";

export const elevenlabsCredential = defineCredential({
  type: "elevenlabs",
  title: "ElevenLabs",
  baseUrl: "https://api.elevenlabs.io",
  variants: {
    apiKey: withFields("API key", { apiKey: secret("API key.") }, ({ apiKey }) => ({
      headers: { "xi-api-key": apiKey },
    })),
  },
  // `detail` is an object, a list of wrong fields, or a sentence.
  readFault: (body) => ({
    ...readMissingPermission(body),
    code: textAt(body, "detail", "status") ?? textAt(body, "detail", "code") ?? textAt(body, "detail", 0, "type"),
    message: textAt(body, "detail", "message") ?? textAt(body, "detail", 0, "msg") ?? textAt(body, "detail"),
  }),
  check: async ({ http }) => void (await http.json({ path: "/v1/user" })),
  choices: { models: { load: ({ http }) => listModels(http) }, voices: { searches: true, load: listVoices } },
});

/** A restricted key is answered like a wrong one, with 401. */
function readMissingPermission(body: unknown): Pick<ProviderFault, "lacksPermission" | "missingScopes"> {
  if (textAt(body, "detail", "status") !== "missing_permissions") return {};
  const named = /missing the permission (\w+)/.exec(textAt(body, "detail", "message") ?? "")?.[1];
  return { lacksPermission: true, missingScopes: named === undefined ? [] : [named] };
}

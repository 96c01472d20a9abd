import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { readCommonFault } from "../../contract/fault.ts";
import { listLanguages } from "./list-languages.ts";

export const deeplCredential = defineCredential({
  type: "deepl",
  title: "DeepL",
  baseUrl: ({ apiKey }) => (String(apiKey).endsWith(":fx") ? "https://api-free.deepl.com" : "https://api.deepl.com"),
  variants: {
    apiKey: withFields("API key", { apiKey: secret("Authentication key.") }, ({ apiKey }) => ({
      headers: { authorization: `DeepL-Auth-Key ${apiKey}` },
    })),
  },
  // DeepL has no other reason for it than the key.
  readFault: (body, response) => ({ ...readCommonFault(body, response), isUnauthorized: response.status === 403 }),
  check: async ({ http }) => void (await http.json({ path: "/v2/usage" })),
  choices: { targetLanguages: { load: listLanguages("target") }, sourceLanguages: { load: listLanguages("source") } },
});

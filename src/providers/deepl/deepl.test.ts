import { expect, it } from "vitest";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { deeplCredential } from "./credential.ts";
import { action as translateText } from "./translate_text.ts";

const credential = { apiKey: "key-secret" };
const headers = { authorization: "DeepL-Auth-Key key-secret" };

describeHttpTool(translateText, {
  credential,
  failure: {
    answer: { status: 456, json: { message: "Quota exceeded" } },
    says: /DeepL refused the call \(456\): Quota exceeded/,
  },
  cases: [
    {
      name: "translates a text",
      input: { texts: ["Hello"], targetLang: "DE" },
      exchanges: [
        {
          request: { method: "POST", path: "/v2/translate", headers, json: { text: ["Hello"], target_lang: "DE" } },
          answer: { json: { translations: [{ detected_source_language: "EN", text: "Hallo" }] } },
        },
      ],
      items: [{ text: "Hallo", detectedSourceLanguage: "EN" }],
    },
    {
      name: "sends everything that is given and returns one item per text",
      input: {
        texts: ['a "b"\n', "ü?#"],
        targetLang: "EN-GB",
        sourceLang: "DE",
        formality: "prefer_more",
        context: "A shop.",
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v2/translate",
            json: {
              text: ['a "b"\n', "ü?#"],
              target_lang: "EN-GB",
              source_lang: "DE",
              formality: "prefer_more",
              context: "A shop.",
            },
          },
          answer: { json: { translations: [{ text: "one" }, { text: "two" }] } },
        },
      ],
      items: [{ text: "one" }, { text: "two" }],
    },
  ],
});

it("does not ask again when the quota is used up", async () => {
  const outcome = useCredential(deeplCredential, credential, [{ status: 456, json: { message: "Quota exceeded" } }]);
  await expect(outcome).rejects.toThrow("DeepL refused the call (456): Quota exceeded");
});

it("checks the credential by reading the usage", async () => {
  expect(await useCredential(deeplCredential, credential, [{ json: {} }])).toMatchObject([
    { path: "/v2/usage", headers },
  ]);
});

it.each([
  ["abc:fx", "https://api-free.deepl.com"],
  ["abc", "https://api.deepl.com"],
])("uses the key %s at %s", (apiKey, address) => {
  const { baseUrl } = deeplCredential;
  expect(typeof baseUrl === "function" ? baseUrl({ apiKey }) : baseUrl).toBe(address);
});

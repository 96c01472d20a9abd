import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { defaultModels } from "../../base/default-models.ts";
import { elevenlabsCredential } from "./credential.ts";
import { action as textToSpeech } from "./text_to_speech.ts";

const credential = { apiKey: "xi-secret" };
const headers = { "xi-api-key": "xi-secret" };
const audio = Buffer.from([0xff, 0xfb, 0x00, 0x80]);

describeHttpTool(textToSpeech, {
  credential,
  failure: {
    answer: { status: 401, json: { detail: { status: "invalid_api_key", message: "Invalid API key" } } },
    says: /ElevenLabs refused the call \(401 invalid_api_key\): Invalid API key/,
  },
  cases: [
    {
      name: "returns speech as base64",
      input: { voiceId: "v1", text: "Hello" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/text-to-speech/v1?output_format=mp3_44100_128",
            headers,
            json: { text: "Hello", model_id: defaultModels.elevenlabs },
          },
          answer: { headers: { "content-type": "audio/mpeg" }, body: audio },
        },
      ],
      items: [{ audioBase64: "//sAgA==", mimeType: "audio/mpeg", bytes: 4 }],
    },
    {
      name: "sends everything that is given and keeps a strange voice in its place",
      input: {
        voiceId: "a/../ü?#",
        text: 'q "ü"\n',
        modelId: "m",
        outputFormat: "pcm_16000",
        stability: 0,
        similarityBoost: 1,
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/text-to-speech/a/../ü?#?output_format=pcm_16000",
            json: { text: 'q "ü"\n', model_id: "m", voice_settings: { stability: 0, similarity_boost: 1 } },
          },
          answer: { headers: { "content-type": "audio/pcm; rate=16000" }, body: audio },
        },
      ],
      items: [{ audioBase64: "//sAgA==", mimeType: "audio/pcm", bytes: 4 }],
    },
  ],
});

it.each([
  [
    { detail: [{ type: "missing", loc: ["body", "text"], msg: "Field required" }] },
    { code: "missing", message: "Field required" },
  ],
  [{ detail: "Not Found" }, { code: undefined, message: "Not Found" }],
])("understands the fault %j", (body, fault) => {
  expect(elevenlabsCredential.readFault(body, new Response())).toEqual(fault);
});

it("refuses a format that does not exist and names those that do", async () => {
  const outcome = callTool(textToSpeech, { input: { voiceId: "v", text: "x", outputFormat: "wav" }, credential });
  await expect(outcome).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining("mp3_44100_128"),
    errors: [{ pointer: "/outputFormat" }],
  });
});

it("checks the credential by asking for the user", async () => {
  expect(await useCredential(elevenlabsCredential, credential, [{ json: {} }])).toMatchObject([
    { path: "/v1/user", headers },
  ]);
});

it.each([
  ["JSON", { json: { detail: "queued" } }],
  ["a page", { headers: { "content-type": "text/html; charset=utf-8" }, body: "<html>Sign in</html>" }],
  ["something without a type", { body: "sound?" }],
  ["nothing", { headers: { "content-type": "audio/mpeg" }, body: "" }],
])("takes %s for no sound, whatever the status says", async (_, answer) => {
  const provider = await startFakeProvider();
  provider.script([answer]);
  const outcome = callTool(textToSpeech, {
    input: { voiceId: "v1", text: "Hello" },
    credential: { ...credential, baseUrl: provider.url },
  });
  await expect(outcome).rejects.toMatchObject({
    code: "provider_error",
    effect: "unknown",
    message: "The answer of ElevenLabs has no sound, so nothing shows that it was done.",
  });
  expect(provider.requests()).toHaveLength(1);
  await provider.stop();
});

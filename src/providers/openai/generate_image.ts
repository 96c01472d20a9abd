import { z } from "zod";
import { defaultModels } from "../../base/default-models.ts";
import { defineAction } from "../../contract/action.ts";
import { providerFailure } from "../../contract/http.ts";
import { nameModels } from "../../contract/name-models.ts";
import { textAt } from "../../contract/read.ts";
import { listImageModels, unknownModel } from "./client.ts";
import { openaiCredential } from "./credential.ts";

// An image of high quality takes minutes; the call's own time limit comes first.
const timeoutMs = 600_000;

export const action = defineAction({
  id: "openai_generate_image",
  title: "Generate image",
  description: "Generate an image from a prompt.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: openaiCredential,
  input: z.strictObject({
    prompt: z.string().min(1).describe("What the image shows."),
    model: z.string().min(1).default(defaultModels.openaiImage).describe("Model id.").meta({ choices: "imageModels" }),
    size: z.string().min(1).default("1024x1024").describe("Width and height in pixels, or auto."),
    quality: z
      .enum(["auto", "low", "medium", "high"])
      .default("auto")
      .describe("Quality of the image; better takes longer and costs more."),
  }),
  defaultModel: { field: "model", of: "openaiImage" },
  output: z.object({
    imageBase64: z.string().describe("The image as base64."),
    mimeType: z.string().describe("Media type, e.g. image/png."),
    bytes: z.int().optional().describe("Size of the image in bytes."),
    revisedPrompt: z.string().optional().describe("The prompt the model made of it."),
  }),
  findBytes: ({ mimeType }) => [{ field: "imageBase64", mimeType }],
  async run({ input, http }) {
    // The older models answer with an address unless asked; the newer ones do not know the parameter.
    const older = input.model.startsWith("dall-e") ? { response_format: "b64_json" } : {};
    const answer = await nameModels({ unknownCode: unknownModel, list: () => listImageModels(http) }, () =>
      http.json({ method: "POST", path: "/images/generations", json: { ...input, ...older }, timeoutMs }),
    );
    const imageBase64 = textAt(answer, "data", 0, "b64_json");
    if (imageBase64 === undefined) throw providerFailure("OpenAI", { message: "the answer has no image" });
    const mimeType = `image/${textAt(answer, "output_format") ?? "png"}`;
    const bytes = Buffer.byteLength(imageBase64, "base64");
    return [{ imageBase64, mimeType, bytes, revisedPrompt: textAt(answer, "data", 0, "revised_prompt") }];
  },
});

import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { fileInput } from "../../contract/file-input.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

// What every language model is given beside a prompt, and the JSON that it is asked for.

export const messagesInput = () =>
  z
    .array(
      z.strictObject({
        role: z.enum(["user", "assistant"]).describe("Who said it: user or assistant."),
        text: z.string().min(1).describe("What was said."),
      }),
    )
    .optional()
    .describe(
      'Earlier messages of the conversation, oldest first; the prompt comes after them. E.g. [{"role": "user", "text": "Hi"}].',
    );

export const jsonSchemaInput = () =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ title: "JSON Schema" })
    .describe('Ask for JSON of this schema, e.g. {"type": "object", "properties": {"name": {"type": "string"}}}.');

const base64Text = "Picture as base64 (PNG, JPEG, GIF or WebP); in a workflow also the handle of a file.";

export const imagesInput = () =>
  z
    .array(
      z.strictObject({
        imageBase64: fileInput("Image as base64").min(1).optional().describe(`${base64Text} Give this or url.`),
        url: z
          .string()
          .min(1)
          .optional()
          .meta({ title: "URL" })
          .describe("Address that the service gets the picture from. Give this or imageBase64."),
      }),
    )
    .optional()
    .describe("Pictures to look at with the prompt, each {imageBase64} or {url}.");

/** For services that get no pictures from addresses. */
export const inlineImagesInput = () =>
  z
    .array(z.strictObject({ imageBase64: fileInput("Image as base64").min(1).describe(base64Text) }))
    .optional()
    .describe("Pictures to look at with the prompt, each {imageBase64}.");

type Given = { imageBase64?: string | undefined; url?: string | undefined };
export type Picture = { mimeType: string; base64: string };

/** The bytes themselves say what a picture is: services refuse one that is called something else. */
export const readImages = (images: Given[] | undefined): (Picture | { url: string })[] =>
  (images ?? []).map(({ imageBase64, url }, index) => {
    if ((imageBase64 === undefined) === (url === undefined)) {
      const detail = "needs either imageBase64 or url";
      throw new Refusal("validation_failed", `images.${index} ${detail}.`, {
        errors: [{ pointer: `/images/${index}`, detail }],
      });
    }
    return url === undefined ? readPicture(imageBase64 ?? "", index) : { url };
  });

export function readPicture(text: string, index: number): Picture {
  const base64 = text.replaceAll(/\s/g, "");
  const mimeType = beginnings.find(([beginning]) => beginning.test(base64))?.[1];
  if (mimeType === undefined)
    throw refuseInput(`/images/${index}/imageBase64`, "is not a picture that models read: PNG, JPEG, GIF or WebP");
  return { mimeType, base64 };
}

const beginnings: [RegExp, string][] = [
  [/^iVBORw0KGg/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD[ld]h/, "image/gif"],
  [/^UklGR.{6}XRUJQ/, "image/webp"],
];

/** Undefined where it is none: an answer that was cut off is not JSON. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const cutOffOutput = () =>
  z.string().optional().describe("Only where the answer was cut off: that it was, and what helps.");

/** Some models spend all their tokens on thinking, so that nothing is left to say. */
export const sayCutOff = (text: string): string =>
  text.trim() === ""
    ? "The answer was cut off before its first word: the model thought with all its tokens. Give a larger maxTokens, or let it think less."
    : "The answer was cut off where its tokens ended. Give a larger maxTokens.";

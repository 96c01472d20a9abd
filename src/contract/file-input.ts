import { z } from "zod";
import { refuseInput } from "./refuse-input.ts";

/** The type of an input that takes the bytes of a file. They come as base64; in a workflow the handle of a file may stand for them. */
export const fileInput = (title: string) => z.string().meta({ title, contentEncoding: "base64" });

/** Whether an input of this JSON Schema takes the bytes of a file. */
export const takesFile = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && "contentEncoding" in schema && schema.contentEncoding === "base64";

/** The bytes of such an input. Blanks, line breaks and the alphabet of addresses are taken too; anything else is refused. */
export function readFileInput(pointer: string, text: string): Buffer {
  const compact = text.replaceAll(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  const bytes = Buffer.from(compact, "base64");
  if (bytes.toString("base64").replace(/=+$/, "") !== compact) throw refuseInput(pointer, "is not base64");
  return bytes;
}

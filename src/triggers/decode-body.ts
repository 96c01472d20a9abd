import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { describeBytes } from "../base/describe-bytes.ts";
import { Refusal } from "../base/refusal.ts";
import type { WebhookRequest } from "../contract/webhook.ts";

export const mostDecodedBytes = 5 * 1024 * 1024;

type Decode = (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Record<string, Decode> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  // Some send it without the frame that the name stands for.
  deflate: (body, limits) => (hasZlibFrame(body) ? promisify(inflate) : promisify(inflateRaw))(body, limits),
  br: promisify(brotliDecompress),
};

/** The body without its Content-Encoding. Signatures are over what was sent, so they are checked before. */
export async function decodeBody({ headers, body }: Pick<WebhookRequest, "headers" | "body">): Promise<Buffer> {
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity" || body.length === 0) return body;
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!decode)
    throw new Refusal("unsupported_media_type", "The Content-Encoding of a delivery may be gzip, deflate or br.");
  try {
    return await decode(body, { maxOutputLength: mostDecodedBytes });
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE")
      throw new Refusal(
        "body_too_large",
        `A delivery may have ${describeBytes(mostDecodedBytes)} at most once it is decoded.`,
      );
    throw new Refusal("malformed_request", `The body of the delivery cannot be decoded as ${encoding}.`);
  }
}

/** RFC 1950: the method in the first byte, and both together a multiple of 31. */
const hasZlibFrame = (body: Buffer): boolean =>
  ((body[0] ?? 0) & 0x0f) === 8 && (((body[0] ?? 0) << 8) | (body[1] ?? 0)) % 31 === 0;

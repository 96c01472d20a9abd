import { isUtf8 } from "node:buffer";
import type { WebhookRequest } from "../contract/webhook.ts";
import type { RunFile } from "../runs/accept/run-request.ts";
import { toHandle } from "../runs/read/run-files.ts";
import { normalisePayload, toFields } from "./normalise-payload.ts";
import { isMultipart, readMultipart } from "./read-multipart.ts";

type Delivered = Pick<WebhookRequest, "method" | "headers" | "body">;

/** What a run gets of a body that is decoded by now. Bytes that are no text stay outside of its data, which has a handle of each file. */
export async function readPayload(
  delivered: Delivered,
  runId: string,
): Promise<{ payload: unknown; files: RunFile[] }> {
  const { headers, body } = delivered;
  const files: RunFile[] = [];
  const keep = ({ name, type, bytes }: { name: string | null; type: string; bytes: Buffer }) => {
    const number = files.push({ name, type, contentBase64: bytes.toString("base64") });
    return { name, type, size: bytes.length, handle: toHandle(runId, number) };
  };
  const contentType = headers["content-type"] ?? "";
  if (isMultipart(contentType)) {
    const parts = await readMultipart(body, contentType);
    return {
      payload: toFields(parts.map(([name, part]) => [name, typeof part === "string" ? part : keep(part)])),
      files,
    };
  }
  if (!isUtf8(body))
    return {
      payload: { file: keep({ name: null, type: contentType || "application/octet-stream", bytes: body }) },
      files,
    };
  return { payload: normalisePayload(delivered), files };
}

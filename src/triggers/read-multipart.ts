import { MIMEType } from "node:util";
import { Refusal } from "../base/refusal.ts";

type Part = string | { name: string | null; type: string; bytes: Buffer };

const mostParts = 1000;

export const isMultipart = (contentType: string): boolean => /^\s*multipart\/form-data\s*(;|$)/i.test(contentType);

/** The parts of a form (RFC 7578) with their names, in order: texts, and files. */
export async function readMultipart(body: Buffer, contentType: string): Promise<[string, Part][]> {
  const boundary = findBoundary(contentType);
  if (!boundary || boundary.length > 70) throw unreadable();
  refuseMany(body, `--${boundary}`);
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } })
    .formData()
    .catch(() => {
      throw unreadable();
    });
  const parts: [string, Part][] = [];
  for (const [name, value] of form) parts.push([name, typeof value === "string" ? value : await toFile(value)]);
  if (parts.length > mostParts) throw tooMany();
  return parts;
}

/** As who takes the form apart reads it: what is counted must be what is split. */
function findBoundary(contentType: string): string | null {
  try {
    return new MIMEType(contentType).params.get("boundary");
  } catch {
    return null;
  }
}

const toFile = async (file: File): Promise<Part> => ({
  name: file.name === "" ? null : file.name,
  type: file.type || "application/octet-stream",
  bytes: Buffer.from(await file.arrayBuffer()),
});

/** Counted before it is taken apart, which nobody can interrupt. */
function refuseMany(body: Buffer, delimiter: string): void {
  let count = -1;
  for (let place = body.indexOf(delimiter); place !== -1; place = body.indexOf(delimiter, place + delimiter.length)) {
    count += 1;
    if (count > mostParts) throw tooMany();
  }
}

const tooMany = (): Refusal => new Refusal("body_too_large", `A form may have ${mostParts} parts at most.`);

const unreadable = (): Refusal =>
  new Refusal("malformed_request", "The multipart form of the delivery cannot be read.");

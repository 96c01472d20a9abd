import { z } from "zod";
import { describeBytes } from "../../base/describe-bytes.ts";
import { fileInput, readFileInput } from "../../contract/file-input.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

// Files that go with mail, the same for every way to send and read it. A workflow gives the handle of a file where bytes are asked for.

const attachment = z.strictObject({
  filename: z.string().min(1).describe("File name, e.g. report.pdf."),
  contentBase64: fileInput("Content as base64").describe(
    "Content as base64; in a workflow also the handle of a file, e.g. $trigger.payload.file.handle.",
  ),
  mimeType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/)
    .optional()
    .meta({ title: "MIME type" })
    .describe("Media type, e.g. application/pdf; guessed from the name when absent."),
});

export const attachmentsInput = (mostBytes: number) =>
  z
    .array(attachment)
    .optional()
    .describe(
      `Files to attach, each {filename, contentBase64, mimeType}; together at most ${describeBytes(mostBytes)}.`,
    );

export function readAttachments(given: z.output<typeof attachment>[] | undefined, mostBytes: number) {
  const files = (given ?? []).map(({ filename, contentBase64, mimeType }, index) => {
    const content = readFileInput(`/attachments/${index}/contentBase64`, contentBase64);
    const name = refuseLineBreaks(filename, `/attachments/${index}/filename`);
    return { filename: name, content, ...(mimeType === undefined ? {} : { contentType: mimeType }) };
  });
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > mostBytes) throw refuseInput("/attachments", `are larger than ${describeBytes(mostBytes)} together`);
  return files;
}

export function refuseLineBreaks(text: string, pointer: string): string {
  if (/[\r\n]/.test(text) || text.includes("\0")) throw refuseInput(pointer, "must not contain line breaks");
  return text;
}

const mostReceivedBytes = 10 * 1024 * 1024;

export const includeAttachmentsInput = () =>
  z
    .boolean()
    .default(false)
    .describe(
      `Return the content of attachments, ${describeBytes(mostReceivedBytes)} in all; what no longer fits has its name and size only.`,
    );

export type Received = {
  filename?: string | undefined;
  mimeType?: string | undefined;
  size: number;
  contentBase64?: string | undefined;
};

export const receivedOutput = () =>
  z
    .array(
      z.object({
        filename: z.string().optional().describe("File name."),
        mimeType: z.string().optional().meta({ title: "MIME type" }).describe("Media type, e.g. application/pdf."),
        size: z.int().describe("In bytes."),
        contentBase64: z.string().optional().meta({ title: "Content (base64)" }).describe("Content when asked for."),
      }),
    )
    .optional()
    .describe("Attached files.");

/** Whether there is still room for so many bytes of attachments in the answer of one call. */
export function createRoom(): (bytes: number) => boolean {
  let left = mostReceivedBytes;
  return (bytes) => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
}

export const findAttachedBytes = ({ attachments }: { attachments?: Received[] | undefined }) =>
  (attachments ?? []).map(({ filename, mimeType }, index) => ({
    field: `attachments/${index}/contentBase64`,
    mimeType,
    name: filename,
  }));

import type { Refusal } from "../base/refusal.ts";
import type { Era } from "./mcp-era.ts";

/** What came of a tool call. A refusal is also an answer: the model reads it and can mend its call. */
export type ToolResult =
  /** Provider tools: one block of text per item. */
  | { items: Record<string, unknown>[] }
  /** Platform tools: one object. */
  | { output: Record<string, unknown> }
  /** Content of any kind that has no schema. */
  | { content: Record<string, unknown>[] }
  | Refusal;

type Circumstances = {
  era: Era;
  requestId: string;
  /** JSON text. */
  serverInfo: string;
};

/** The result of tools/call as JSON text. Each item is serialised once and used in both forms. */
export function writeToolResult(result: ToolResult, { era, requestId, serverInfo }: Circumstances): string {
  const meta = era === "modern" ? [`"io.modelcontextprotocol/serverInfo":${serverInfo}`] : [];
  const members = era === "modern" ? ['"resultType":"complete"'] : [];
  if ("items" in result) {
    const items = result.items.map((item) => JSON.stringify(item));
    members.push(`"content":[${items.map(textBlock).join(",")}]`, `"structuredContent":{"items":[${items.join(",")}]}`);
  } else if ("output" in result) {
    const output = JSON.stringify(result.output);
    members.push(`"content":[${textBlock(output)}]`, `"structuredContent":${output}`);
  } else if ("content" in result) {
    members.push(`"content":${JSON.stringify(result.content)}`);
  } else {
    members.push(`"content":[${textBlock(describe(result))}]`, '"isError":true');
    const { code, errors } = result;
    meta.push(`"switchyard/error":${JSON.stringify({ code, requestId, ...(errors ? { errors } : {}) })}`);
  }
  if (meta.length > 0) members.push(`"_meta":{${meta.join(",")}}`);
  return `{${members.join(",")}}`;
}

const textBlock = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`;

// The message names the first wrong field; a model that sees all of them needs one more attempt only.
function describe({ message, errors = [] }: Refusal): string {
  if (errors.length < 2) return message;
  return [message, ...errors.map(({ pointer, detail }) => `- ${pointer || "/"} ${detail}`)].join("\n");
}

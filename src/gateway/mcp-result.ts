import { Refusal } from "../base/refusal.ts";
import type { JsonSchema } from "../catalog/json-schema.ts";
import type { Action } from "../contract/action.ts";
import { fitItems, fitOutput } from "./fit-result.ts";
import type { Era } from "./mcp-era.ts";

/** What came of a tool call. A refusal is also an answer: the model reads it and can mend its call. */
export type ToolResult =
  /** Provider tools: one block of text per item. */
  | { items: Record<string, unknown>[]; recordId: string; findBytes?: Action["findBytes"] }
  /** Platform tools: one object. */
  | { output: Record<string, unknown>; recordId: string }
  /** Content of any kind that has no schema. */
  | { content: Record<string, unknown>[] }
  | Refusal;

type ResultContext = {
  era: Era;
  requestId: string;
  /** JSON text. */
  serverInfo: string;
  outputSchema: JsonSchema | undefined;
  /** Most characters of JSON that a model is given of one answer. */
  limitCharacters: number;
};

/** The result of tools/call as JSON text. */
export function writeToolResult(result: ToolResult, context: ResultContext): string {
  const { era, requestId, serverInfo } = context;
  const meta = era === "modern" ? [`"io.modelcontextprotocol/serverInfo":${serverInfo}`] : [];
  const members = era === "modern" ? ['"resultType":"complete"'] : [];
  if (result instanceof Refusal) {
    members.push(`"content":[${textBlock(describe(result))}]`, '"isError":true');
    const { code, errors, headers } = result;
    const seconds = headers?.["Retry-After"];
    const error = {
      code,
      requestId,
      ...(errors ? { errors } : {}),
      ...(seconds ? { retryAfterSeconds: Number(seconds) } : {}),
    };
    meta.push(`"switchyard/error":${JSON.stringify(error)}`);
  } else members.push(...writeContent(result, context));
  if (meta.length > 0) members.push(`"_meta":{${meta.join(",")}}`);
  return `{${members.join(",")}}`;
}

/** Each item is serialised once and used in both forms, because it is the client's own choice which of them it reads. */
function writeContent(result: Exclude<ToolResult, Refusal>, context: ResultContext): string[] {
  if ("content" in result) return [`"content":${JSON.stringify(result.content)}`];
  const { texts, structured, blocks, cut } = "items" in result ? fitItems(result, context) : fitOutput(result, context);
  const content = [...texts.map(textBlock), ...blocks, ...(cut === undefined ? [] : [textBlock(cut)])];
  const all = cut === undefined ? structured : [...structured, `"cut":${JSON.stringify(cut)}`];
  return [`"content":[${content.join(",")}]`, `"structuredContent":{${all.join(",")}}`];
}

const textBlock = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`;

// The message names the first wrong field; a model that sees all of them needs one more attempt only.
function describe({ message, errors = [] }: Refusal): string {
  if (errors.length < 2) return message;
  return [message, ...errors.map(({ pointer, detail }) => `- ${pointer || "/"} ${detail}`)].join("\n");
}

import { parseForRecord } from "../base/json-numbers.ts";

/** Braces that lead nowhere cost a walk to the end of the text each. */
const mostBeginnings = 50;

/**
 * The JSON in what a model wrote, undefined when there is none: the whole text, what is in its last fence, or the last object between its words.
 * A number that would become another one stays as it was written, as text.
 */
export function readModelJson(text: string): unknown {
  const fenced = [...text.matchAll(/```[a-z]*\s([\s\S]*?)```/gi)].map(([, inside = ""]) => inside);
  const candidates = [text, ...fenced.reverse()];
  return candidates.map(parse).find((value) => value !== undefined) ?? findLastObject(text);
}

function findLastObject(text: string): unknown {
  let found: unknown;
  let at = text.indexOf("{");
  for (let begun = 0; at !== -1 && begun < mostBeginnings; begun++) {
    const end = endOfObject(text, at);
    const value = end === -1 ? undefined : parse(text.slice(at, end));
    found = value ?? found;
    at = text.indexOf("{", value === undefined ? at + 1 : end);
  }
  return found;
}

/** The place behind the brace that closes the one at `start`; -1 when none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  const marks = /["{}]|\\./gs;
  marks.lastIndex = start;
  let isInString = false;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '"') isInString = !isInString;
    if (isInString) continue;
    if (mark[0] === "{") depth += 1;
    if (mark[0] === "}") depth -= 1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}

function parse(text: string): unknown {
  try {
    return parseForRecord(text);
  } catch {
    return undefined;
  }
}

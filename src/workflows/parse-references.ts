import { plainName, type Root, type ScannedExpression, scanExpression } from "./scan-expression.ts";

export type Step = string | number;

/** A path of names and positions without any other JSONata. */
export type PlainPath = { root: Root; steps: Step[] };

export type Expression = Omit<ScannedExpression, "end" | "isClosed"> & {
  /** As the author wrote it, without braces. */
  source: string;
  path: PlainPath | undefined;
};

/** A text, or one expression whose value it becomes, or both in turn; `unclosed` where `{{` has no end. */
export type ParsedText = { exact?: Expression; parts: (string | Expression)[]; unclosed?: true };

const name = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const hyphenatedName = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const place = String.raw`\[-?\d{1,9}\]`;
const pathOf = (names: string) =>
  new RegExp(
    String.raw`^\$(?:nodes\.(?:[A-Za-z0-9_-]{1,64}|\x60[^\x60]+\x60)|trigger|input|node)(?:\.(?:${names}|\x60[^\x60]+\x60)|${place})*$`,
    "u",
  );
const pathInExpression = pathOf(name);
// A whole text is no arithmetic, so its hyphens belong to names.
const pathAlone = pathOf(hyphenatedName);
const step = /\[(?<position>-?\d+)\]|\x60(?<quoted>[^\x60]+)\x60|(?<name>[\p{L}\p{N}_-]+)/gu;

export function parseText(text: string): ParsedText {
  if (pathAlone.test(text)) return { exact: readPath(text), parts: [] };
  const parts: (string | Expression)[] = [];
  let at = 0;
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", at)) {
    const scanned = scanExpression(text, open + 2, true);
    if (!scanned.isClosed) return { parts, unclosed: true };
    if (open > at) parts.push(text.slice(at, open));
    parts.push(toExpression(text.slice(open + 2, scanned.end).trim(), scanned));
    at = scanned.end + 2;
  }
  if (at < text.length) parts.push(text.slice(at));
  const [only] = parts;
  return parts.length === 1 && typeof only === "object" ? { exact: only, parts } : { parts };
}

/** A field that is an expression as it stands, with or without braces around it. */
export function parseExpression(text: string): Expression {
  const source = text.trim();
  const inBraces = source.startsWith("{{") ? parseText(source).exact : undefined;
  return inBraces ?? toExpression(source, scanExpression(source));
}

function toExpression(source: string, { jsonata, roots, nodeIds, usesAnyNode }: ScannedExpression): Expression {
  if (pathInExpression.test(source)) return readPath(source);
  return { source, jsonata, roots, nodeIds, usesAnyNode, path: undefined };
}

function readPath(source: string): Expression {
  const [, root = "", rest = ""] = /^\$(trigger|nodes|input|node)(.*)$/s.exec(source) ?? [];
  const steps = [...rest.matchAll(step)].map(({ groups }) =>
    groups?.position === undefined ? (groups?.quoted ?? groups?.name ?? "") : Number(groups.position),
  );
  const nodeIds = root === "nodes" ? [String(steps[0])] : [];
  const path = { root: root as Root, steps };
  return { source, jsonata: writePath(path), roots: new Set([path.root]), nodeIds, usesAnyNode: false, path };
}

export const writePath = ({ root, steps }: PlainPath): string => `$${root}${steps.map(writeStep).join("")}`;

function writeStep(part: Step): string {
  if (typeof part === "number") return `[${part}]`;
  return plainName.test(part) ? `.${part}` : `.\`${part}\``;
}

export type ReadFile = Record<string, unknown> & { canvas?: unknown };

/** A workflow of this product, one of n8n, or what is wrong with the text. */
type ReadText = { own: ReadFile } | { n8n: Record<string, unknown> | unknown[] } | { fault: string };

const mostBytes = 5_000_000;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `name`: what the text is called to the person, a file or what was pasted. Nothing but its form is looked at here. */
export function readWorkflowText(text: string, name: string): ReadText {
  if (text.length > mostBytes) return { fault: `${name} is larger than 5 MB. A workflow file is much smaller.` };
  const value = parse(text);
  if (Array.isArray(value)) return { n8n: value };
  if (!isObject(value))
    return { fault: `${name} is not a workflow file. Export one from the menu of a workflow, or from n8n.` };
  const isOfN8n = value.format === undefined && (Array.isArray(value.nodes) || isObject(value.workflow));
  return isOfN8n ? { n8n: value } : { own: value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

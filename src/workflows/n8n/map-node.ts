import type { Names } from "./expressions/names.ts";
import type { Mapper, NodeMapping } from "./mapped.ts";
import { dataNodes } from "./nodes/data.ts";
import { googleNodes } from "./nodes/google.ts";
import { httpNodes } from "./nodes/http.ts";
import { logicNodes } from "./nodes/logic.ts";
import { messagingNodes } from "./nodes/messaging.ts";
import { modelNodes } from "./nodes/models.ts";
import { storageNodes } from "./nodes/storage.ts";
import { trackingNodes } from "./nodes/tracking.ts";
import { triggerNodes } from "./nodes/triggers.ts";
import type { N8nNode } from "./read-n8n-file.ts";
import { createReader } from "./reader.ts";

const mappers = new Map<string, Mapper>(
  Object.entries({
    ...triggerNodes,
    ...logicNodes,
    ...dataNodes,
    ...httpNodes,
    ...messagingNodes,
    ...trackingNodes,
    ...storageNodes,
    ...googleNodes,
    ...modelNodes,
  }),
);

/** The packages that n8n brings along itself. */
const packages = ["n8n-nodes-base.", "@n8n/n8n-nodes-langchain."];

/** What people know a type by: slack of n8n-nodes-base.slack. */
export const shortType = (type: string): string => {
  const known = packages.find((prefix) => type.startsWith(prefix));
  return known === undefined ? type : type.slice(known.length);
};

const codeTypes = new Map([
  ["code", "jsCode"],
  ["function", "functionCode"],
  ["functionItem", "functionCode"],
]);

/** The code of a node that consists of some, so that it can be read where it is rewritten. */
export function codeOf({ type, parameters }: N8nNode): string | undefined {
  const field = codeTypes.get(shortType(type));
  const code = field === undefined ? undefined : (parameters[field] ?? parameters.pythonCode ?? "");
  return typeof code === "string" ? code : undefined;
}

/** What a node of n8n becomes here; without names its expressions stay as they stand. Its accounts are not looked at. */
export function mapNode(node: N8nNode, names?: Names): NodeMapping {
  const type = shortType(node.type);
  if (codeOf(node) !== undefined)
    return {
      mapped: { missing: "No JavaScript or Python runs here. Write it as JSONata in a Transform." },
      remarks: [],
    };
  const mapper = mappers.get(type);
  if (!mapper)
    return { mapped: { missing: `There is no node for ${type} here. HTTP request may do the same.` }, remarks: [] };
  const read = createReader(node.parameters, names);
  const mapped = mapper(read, node);
  if ("missing" in mapped) return { mapped, remarks: [] };
  const rest = read.rest();
  const left = rest.length > 0 ? [`Left out: ${rest.slice(0, 20).join(", ")}.`] : [];
  return { mapped: { ...mapped, parameters: withoutEmpty(mapped.parameters) }, remarks: [...read.remarks, ...left] };
}

const withoutEmpty = (parameters: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));

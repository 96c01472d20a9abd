import { z } from "zod";
import type { FieldFault } from "../base/refusal.ts";
import { parseReference } from "../vault/reference.ts";
import type { CredentialSummary } from "../vault/wire.ts";
import type { ErrorWorkflowOfFile } from "./error-wire.ts";
import { mostVariables, type WorkflowFile } from "./file-wire.ts";
import { toPointer } from "./read-canvas.ts";
import { namedVariables } from "./variables/named-variables.ts";
import type { Canvas, Workflow } from "./wire.ts";

type Named = Pick<CredentialSummary, "id" | "name" | "type" | "reference">;
type Accounts = Record<string, unknown>;

/** The workflow as a file for people and other installations. A reference becomes the name of its account. */
export function toFile(
  workflow: Workflow,
  credentials: readonly Named[],
  errorWorkflow: ErrorWorkflowOfFile,
): WorkflowFile {
  const names = new Map(credentials.map(({ id, name }) => [id, name]));
  const nameOf = (reference: unknown) => ({ name: names.get(parseReference(reference)) ?? "" });
  const { name, description, tool, canvas } = workflow;
  const { names: named } = namedVariables(parametersIn(canvas.nodes));
  const variables = named.slice(0, mostVariables);
  return {
    format: "switchyard.workflow",
    formatVersion: 1,
    name,
    description,
    tool,
    canvas: mapAccounts(canvas, (accounts) =>
      Object.fromEntries(Object.entries(accounts).map(([type, reference]) => [type, nameOf(reference)])),
    ),
    ...(errorWorkflow === undefined ? {} : { errorWorkflow }),
    ...(variables.length > 0 ? { variables } : {}),
  };
}

const accountName = z.strictObject({ name: z.string().max(200) });

/** The canvas of a file with the organization's own accounts: those of the same type and name, when there is exactly one. */
export function fromFile(canvas: Record<string, unknown>, credentials: readonly Named[]) {
  const warnings: FieldFault[] = [];
  const matched = mapAccounts(canvas, (accounts, at) =>
    Object.fromEntries(
      Object.entries(accounts).flatMap(([type, account]) => {
        const wanted = accountName.safeParse(account);
        // Left as it is for the check of the canvas, which names it.
        if (!wanted.success) return [[type, account]];
        const found = credentials.filter(
          (credential) => credential.type === type && credential.name === wanted.data.name,
        );
        const [only, another] = found;
        if (only && !another) return [[type, only.reference]];
        const words = another ? "more than one account has" : "no account has";
        warnings.push({ pointer: `${at}${toPointer([type])}`, detail: `is left empty: ${words} this type and name` });
        return [];
      }),
    ),
  );
  return { canvas: matched, warnings };
}

/** Keeps everything else as it is, also where it is not the form of a canvas. */
function mapAccounts(
  canvas: Canvas | Record<string, unknown>,
  map: (accounts: Accounts, at: string) => Accounts,
): Record<string, unknown> {
  if (!Array.isArray(canvas.nodes)) return { ...canvas };
  const nodes = (canvas.nodes as unknown[]).map((node, index) => {
    if (typeof node !== "object" || node === null || !("credentials" in node)) return node;
    const { credentials } = node;
    const isRecord = typeof credentials === "object" && credentials !== null && !Array.isArray(credentials);
    return isRecord
      ? { ...node, credentials: map(credentials as Accounts, `/canvas/nodes/${index}/credentials`) }
      : node;
  });
  return { ...canvas, nodes };
}

/** A draft may hold anything in the place of its nodes. */
const parametersIn = (nodes: unknown): unknown[] =>
  Array.isArray(nodes) ? nodes.map((node: { parameters?: unknown } | null) => node?.parameters) : [];

import { type FieldFault, Refusal } from "../base/refusal.ts";
import { parseReference } from "../vault/reference.ts";
import type { Vault } from "../vault/vault.ts";
import { modelCredentialTypes } from "./choose-model.ts";
import type { NodeKind, PlacedNode } from "./node-kinds.ts";
import { toPointer } from "./read-canvas.ts";

type Known = { types: ReadonlyMap<string, string>; defaults: ReadonlySet<string> };
type KnownNode = PlacedNode & { kind: NodeKind };

/** The owner, then the type, of every credential of a canvas; decrypts nothing. A node without one is only warned about. */
export async function checkNodeCredentials(
  vault: Pick<Vault, "credentials" | "defaults">,
  organizationId: string,
  nodes: readonly PlacedNode[],
): Promise<{ faults: FieldFault[]; warnings: FieldFault[] }> {
  const concerned = nodes.filter(
    (placed): placed is KnownNode => placed.kind !== undefined && concernsCredentials(placed, placed.kind),
  );
  if (concerned.length === 0) return { faults: [], warnings: [] };
  const named = concerned.flatMap(({ node }) =>
    Object.values(node.credentials ?? {}).flatMap((reference) => readId(reference) ?? []),
  );
  const [types, defaults] = await Promise.all([
    vault.credentials.typesOf(organizationId, [...new Set(named)]),
    vault.defaults.list(organizationId),
  ]);
  const known = {
    types,
    defaults: new Set(defaults.filter(({ apiKeyId }) => apiKeyId === null).map(({ type }) => type)),
  };
  return {
    faults: concerned.flatMap((placed) => findFaults(placed, known)),
    warnings: concerned.flatMap((placed) => findMissing(placed, known)),
  };
}

const concernsCredentials = ({ node }: PlacedNode, { credentialTypes }: NodeKind): boolean =>
  credentialTypes.length > 0 || Object.keys(node.credentials ?? {}).length > 0;

function findFaults({ node, pointer, kind }: KnownNode, { types }: Known): FieldFault[] {
  // Beside its own, any node may carry the account of the model that fills its parameters.
  const taken = [...kind.credentialTypes, ...kind.alsoTakes, ...modelCredentialTypes];
  const [first, ...further] = Object.keys(node.credentials ?? {}).filter((type) => isOwn(kind, type));
  return Object.entries(node.credentials ?? {}).flatMap(([type, reference]) => {
    const misfit = further.includes(type)
      ? `is one account too many beside that of the type ${first}`
      : faultOf(type, reference, types);
    const detail = taken.includes(type) ? misfit : "is not a type of credential this node takes";
    return detail === undefined ? [] : [{ pointer: `${pointer}/credentials${toPointer([type])}`, detail }];
  });
}

/** Whether the node itself works with it: an account of a model may be there for what fills the parameters. */
const isOwn = ({ credentialTypes, alsoTakes }: NodeKind, type: string): boolean =>
  credentialTypes.includes(type) || (alsoTakes.includes(type) && !modelCredentialTypes.includes(type));

// The value is never repeated: people paste secrets in the wrong place.
function faultOf(type: string, reference: string, types: ReadonlyMap<string, string>): string | undefined {
  const id = readId(reference);
  if (id === undefined) return "must be a reference of the form credential:organization:<uuid>";
  const found = types.get(id);
  if (found === undefined) return "is no credential of this organization";
  return found === type ? undefined : `must be a credential of the type ${type}, not one of the type ${found}`;
}

function readId(reference: string): string | undefined {
  try {
    return parseReference(reference);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const findMissing = ({ node, pointer, kind }: KnownNode, { defaults }: Known): FieldFault[] =>
  kind.credentialTypes
    .filter((type) => !kind.worksWithoutAccount && node.credentials?.[type] === undefined && !defaults.has(type))
    .map((type) => ({
      pointer: `${pointer}/credentials${toPointer([type])}`,
      detail: "is not chosen, and the organization has no default; every run must bring its own",
    }));

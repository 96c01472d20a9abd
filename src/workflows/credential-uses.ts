import { refersTo, toReference } from "../vault/reference.ts";
import type { CredentialUses } from "../vault/wire.ts";
import { findCanvasesWith } from "./draft-store.ts";
import type { WorkflowsDb } from "./store.ts";
import { canvasNode } from "./wire.ts";

type Uses = CredentialUses["workflows"];

/** The workflows whose published canvas or draft uses a credential, with the nodes that do. */
export const createUsesOfCredential =
  (db: WorkflowsDb) =>
  async (organizationId: string, credentialId: string): Promise<Uses> => {
    const candidates = await findCanvasesWith(db, organizationId, toReference(credentialId));
    const uses = new Map<string, Uses[number]>();
    for (const { id, name, canvas } of candidates) {
      const nodes = nodesWith(JSON.parse(canvas) as { nodes?: unknown }, credentialId);
      const known = uses.get(id)?.nodes ?? [];
      const others = nodes.filter((node) => !known.some((other) => other.id === node.id));
      if (nodes.length > 0) uses.set(id, { id, name, nodes: [...known, ...others] });
    }
    return [...uses.values()];
  };

const usingNode = canvasNode.pick({ id: true, nodeId: true, name: true, credentials: true }).strip();

/** What cannot be read of a draft uses nothing. */
const nodesWith = ({ nodes }: { nodes?: unknown }, credentialId: string) =>
  (Array.isArray(nodes) ? nodes : [])
    .flatMap((node) => usingNode.safeParse(node).data ?? [])
    .filter(({ credentials }) => refersTo(credentials, credentialId))
    .map(({ id, name = null, nodeId }) => ({ id, name, nodeId }));

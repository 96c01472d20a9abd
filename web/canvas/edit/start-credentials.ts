import type { CredentialSummary } from "../../../src/vault/wire.ts";
import type { NodeKind } from "../../catalog.ts";

type Account = Pick<CredentialSummary, "type" | "reference" | "health" | "isComplete">;

/** The accounts that a node of this kind can work with. */
export const findUsable = <One extends Account>(
  { credentials, alsoTakes }: NodeKind,
  accounts: readonly One[],
): One[] =>
  accounts.filter(
    ({ type, isComplete, health }) =>
      (credentials.includes(type) || alsoTakes.includes(type)) &&
      isComplete &&
      health !== "failing" &&
      health !== "needs_reconnect",
  );

/** The only account that there is for a new node. Of several the author chooses, and where none is needed none is sent. */
export function startCredentials(
  kind: NodeKind,
  accounts: readonly Account[] | undefined,
): { credentials?: Record<string, string> } {
  if (kind.worksWithoutAccount) return {};
  const own = findUsable(kind, accounts ?? []).filter(({ type }) => kind.credentials.includes(type));
  const [only] = own;
  return only && own.length === 1 ? { credentials: { [only.type]: only.reference } } : {};
}

import { Refusal } from "../base/refusal.ts";
import { type CatalogAction, readInput } from "../catalog/catalog.ts";
import type { CredentialData } from "../contract/credential.ts";
import { originsOf } from "../contract/origins.ts";
import type { CheckedCredential } from "../vault/open-credential.ts";
import type { Vault } from "../vault/vault.ts";

export type Prepare = ReturnType<typeof createPrepare>;
export type PreparedCall = Awaited<ReturnType<Prepare>>;

type PrepareRequest = {
  organizationId: string;
  action: CatalogAction;
  parameters: unknown;
  /** Credential type → reference. */
  references: unknown;
  /** Whether nobody named the account: it is used only where it is meant for the call. */
  isDefault?: boolean;
};

/** Everything that can be refused before a call takes a slot: its parameters, then the owner and the type of its credentials. Decrypts nothing. */
export function createPrepare({ vault }: { vault: Vault }) {
  return async ({ organizationId, action, parameters, references, isDefault = false }: PrepareRequest) => {
    const input = readInput(action, parameters);
    const types = action.credential ? [action.credential.type] : [];
    const named = readReferences(references);
    const isOpen = action.worksWithoutAccount && Object.keys(named).length === 0;
    const checked = isOpen ? [] : await vault.check(organizationId, named, types, action.alsoTakes);
    if (checked.length > 1)
      throw new Refusal("credential_reference_invalid", `${action.id} uses one account. Name only one.`);
    const [credential = null] = checked;
    const isLeftOut = isDefault && credential && !action.isForDefault(input, shownOriginsOf(credential));
    return { organizationId, action, input, credential: isLeftOut ? null : credential };
  };
}

/** As far as they are known without opening it. */
const shownOriginsOf = ({ definition, row }: CheckedCredential): string[] =>
  originsOf(definition, JSON.parse(row.public_data) as CredentialData);

function readReferences(references: unknown): Record<string, unknown> {
  if (references === undefined) return {};
  if (typeof references === "object" && references !== null && !Array.isArray(references))
    return references as Record<string, unknown>;
  throw new Refusal(
    "credential_reference_invalid",
    "Credentials are an object: credential type → credential reference.",
  );
}

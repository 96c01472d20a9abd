import { createBatch } from "../base/batch.ts";
import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { notAccessible } from "./contents.ts";
import type { CredentialType } from "./credential-data.ts";
import { createCredentialView } from "./credential-view.ts";
import type { CheckedCredential } from "./open-credential.ts";
import { parseReference } from "./reference.ts";
import { type CredentialRow, findCredentials, listWorking, type Place, vaultTables } from "./store.ts";

type Options = {
  db: Database;
  clock: Clock;
  credentialTypes: ReadonlyMap<string, CredentialType>;
  platformBaseUrl: string;
};

const mostNamed = 10;
// Some of them may turn out to be past their end.
const mostRead = 50;

/** The first two steps of every use: is each the organization's, then is each of the right type. Decrypts nothing. */
export function createCheckReferences({ db, clock, credentialTypes, platformBaseUrl }: Options) {
  const tables = vaultTables(db);
  const { toSummary } = createCredentialView({ clock, credentialTypes });
  // Calls that come in while a look-up is under way share the next one, which begins after all of them did.
  const lookUps = createBatch({
    maxItems: 100,
    gatherMs: db.gatherMs,
    isFatal: isDatabaseUnavailable,
    flush: (places: Place[]) => findCredentials(db, places),
  });

  /** The first thing that goes wrong for everybody, so it says all that is needed to do it right. */
  async function needed(organizationId: string, type: string): Promise<Refusal> {
    const summaries = (await listWorking(tables, organizationId, type, mostRead)).map(toSummary);
    const usable = summaries.filter(({ health }) => health !== "failing" && health !== "needs_reconnect");
    const names = usable.slice(0, mostNamed).map(({ name, reference }) => `"${name}" is ${reference}`);
    const choice =
      names.length === 0
        ? `The organization has no usable account of this type yet; connect one: ${platformBaseUrl}/o/${organizationId}/credentials`
        : `Usable accounts: ${names.join(", ")}${usable.length > mostNamed ? ", and more" : ""}.`;
    const form = `credentials: {"${type}":"credential:organization:<uuid>"}`;
    return new Refusal(
      "credential_reference_invalid",
      `A credential of the type ${type} is needed. Send it as ${form}. ${choice}`,
      {
        errors: [{ pointer: `/credentials/${type}`, detail: "is required" }],
      },
    );
  }

  return async (
    organizationId: string,
    references: Record<string, unknown>,
    expectedTypes: readonly string[],
    alsoTaken: readonly string[] = [],
  ): Promise<CheckedCredential[]> => {
    // One account of several types: which of them it is stands in the name it is given by.
    const isAnyOf = alsoTaken.length > 0 && Object.keys(references).length > 0;
    const missing = isAnyOf ? undefined : expectedTypes.find((type) => !Object.hasOwn(references, type));
    if (missing !== undefined) throw await needed(organizationId, missing);
    const wanted = Object.entries(references).map(([type, reference]) => ({ type, id: parseReference(reference) }));
    if (wanted.length === 0) return [];
    const rows = await Promise.all(wanted.map(({ id }) => lookUps.add({ organizationId, credentialId: id })));
    if (rows.some((row) => row === undefined)) throw notAccessible();
    return wanted.map(({ type }, index) => {
      const row = rows[index] as CredentialRow;
      const isTaken = expectedTypes.includes(type) || alsoTaken.includes(type);
      const known = row.type === type && isTaken ? credentialTypes.get(type) : undefined;
      if (known) return { definition: known.definition, row };
      throw new Refusal(
        "credential_type_mismatch",
        describeMismatch({ expectedTypes, alsoTaken, type, actual: row.type }),
      );
    });
  };
}

type Mismatch = { expectedTypes: readonly string[]; alsoTaken: readonly string[]; type: string; actual: string };

function describeMismatch({ expectedTypes, alsoTaken, type, actual }: Mismatch): string {
  if (alsoTaken.includes(actual))
    return `This is a credential of the type ${actual}: name it as that and not as ${type}.`;
  const others = alsoTaken.length > 0 ? ", or one of a service that is reached over HTTP," : "";
  const expected =
    expectedTypes.length === 0 ? "No credential" : `A credential of the type ${expectedTypes.join(" or ")}${others}`;
  return `${expected} is needed here, not one of the type ${actual}.`;
}

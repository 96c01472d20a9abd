import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import { type FindLookUp, type LookUp, mostLoaded } from "../catalog/look-up.ts";
import { toReference } from "../vault/reference.ts";
import type { Vault } from "../vault/vault.ts";
import { createChoiceCache } from "./choice-cache.ts";
import type { RunRecordedCall } from "./recorded-call.ts";
import type { Asker } from "./run-and-read.ts";
import type { ChoiceList, ChoicesRequest } from "./wire.ts";

export type LookUpChoices = ReturnType<typeof createLookUpChoices>;

type Options = {
  vault: Vault;
  findLookUp: FindLookUp;
  runRecordedCall: RunRecordedCall;
  clock: Clock;
};

type Question = Asker & { credentialId: string; list: string; request: ChoicesRequest };
type Choice = ChoiceList["data"][number];

/** A form waits for it, so this is shorter than what tools get; it holds for the wait for a slot, too. */
const limitMs = 10_000;
/** Nobody reads more in a list that opens below a field. Lists that search give no fewer, where there are as many. */
const mostShown = 100;

/** What an account offers for a field of a form, asked at the provider: a call like any other, and not repeated within a minute. */
export function createLookUpChoices({ vault, findLookUp, runRecordedCall, clock }: Options) {
  const cache = createChoiceCache<Choice>(clock);

  return async ({ credentialId, list, request, organizationId, ...asker }: Question): Promise<ChoiceList> => {
    const { row } = await vault.credentials.checkOwn({ organizationId, credentialId });
    const lookUp = findLookUp(row.type, list);
    if (!lookUp) throw new Refusal("not_found", "Accounts of this type have no such list.");
    const { search = "", parameters = {}, refresh = false } = request;
    const given = { ...pickNeeded(lookUp, parameters), ...(lookUp.searches ? { search } : {}) };
    // A changed account may offer something else.
    const key = JSON.stringify([organizationId, credentialId, row.version, list, given]);
    const load = async (): Promise<Choice[]> => {
      const references = { [row.type]: toReference(credentialId) };
      const items = await runUnderLimit({ limitMs, signal: asker.signal, tooLate }, async (signal) => {
        const arrival = describeArrival(lookUp, { organizationId, parameters: given, ...asker });
        return await runRecordedCall({ action: lookUp, arrival, references, signal, trace: asker.trace });
      });
      cache.put(key, items as Choice[]);
      return items as Choice[];
    };
    const loaded = (refresh ? undefined : cache.get(key)) ?? (await load());
    const found = lookUp.searches ? loaded : loaded.filter((choice) => fits(choice, search));
    const mayBeMore = lookUp.searches ? loaded.length >= mostShown : loaded.length >= mostLoaded;
    return { data: found.slice(0, mostShown), hasMore: found.length > mostShown || mayBeMore };
  };
}

const tooLate = () => new Refusal("tool_timeout", `There was no answer within ${limitMs / 1000} s.`);

function pickNeeded({ needs }: LookUp, parameters: Record<string, string>): Record<string, string> {
  const missing = needs.filter((name) => !Object.hasOwn(parameters, name) || parameters[name] === "");
  if (missing.length > 0)
    throw new Refusal("validation_failed", `This list needs to know ${missing.join(" and ")} first.`, {
      errors: missing.map((name) => ({ pointer: `/parameters/${name}`, detail: "is missing" })),
    });
  return Object.fromEntries(needs.map((name) => [name, parameters[name] ?? ""]));
}

type Arrived = Pick<Asker, "organizationId" | "user" | "requestId" | "trace"> & { parameters: object };

const describeArrival = (
  { id, provider }: LookUp,
  { user, trace, organizationId, parameters, requestId }: Arrived,
) => ({
  organizationId,
  id: newId(),
  source: "mcp" as const,
  serverId: provider.id,
  tool: id,
  parameters,
  queueMs: 0,
  userId: user.userId,
  userName: user.name,
  requestId,
  traceId: trace.traceId,
});

const fits = ({ value, title = "" }: Choice, search: string): boolean =>
  `${title}\n${value}`.toLowerCase().includes(search.trim().toLowerCase());

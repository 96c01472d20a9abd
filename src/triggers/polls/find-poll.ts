import { isDeepStrictEqual } from "node:util";
import { Refusal } from "../../base/refusal.ts";
import { readInput } from "../../catalog/catalog.ts";
import type { Poll } from "../../contract/poll.ts";
import type { Provider } from "../../contract/provider.ts";
import { toReference } from "../../vault/reference.ts";
import type { Vault } from "../../vault/vault.ts";
import { invalid, type readPoll } from "../read-request.ts";
import type { TriggerRow } from "../store.ts";
import type { TriggerChange } from "../wire.ts";

export type Polls = ReturnType<typeof createPolls>;

/** What is looked for, and where. */
export type Target = { provider: Provider; poll: Poll; parameters: Record<string, unknown> };

type Options = { providers: readonly Provider[]; vault: Pick<Vault, "check"> };

/** With pointers into the body, which are others where samples are asked for. */
type PollRequest = {
  organizationId: string;
  providerId: string;
  credentialId: string | null;
  event: string;
  parameters: unknown;
  pointer: "/poll" | "";
};

/** What providers can be looked at for. */
export function createPolls({ providers, vault }: Options) {
  const findProvider = (providerId: string | null) => providers.find(({ id }) => id === providerId);

  function find({ providerId, event, pointer }: Pick<PollRequest, "providerId" | "event" | "pointer">) {
    const provider = findProvider(providerId);
    if (!provider || provider.polls.length === 0)
      throw invalid([{ pointer: "/provider", detail: "is no provider that can be looked at for something new" }]);
    const poll = provider.polls.find(({ id }) => id === event);
    const known = provider.polls.map(({ id }) => id).join(", ");
    if (!poll)
      throw invalid([{ pointer: `${pointer}/event`, detail: `is not known here; ${provider.title} has ${known}` }]);
    return { provider, poll };
  }

  /** Refuses what cannot be looked for, or with that account. */
  async function check(request: PollRequest): Promise<Target> {
    const found = find(request);
    const target = {
      ...found,
      parameters: readParameters(found.poll, request.parameters, `${request.pointer}/parameters`),
    };
    await checkCredential(vault, target, request);
    return target;
  }

  return {
    check,

    /** What is stored of a new poll. */
    async readNew(organizationId: string, { providerId, credentialId, poll: wanted }: ReturnType<typeof readPoll>) {
      const { event, parameters, everySeconds = null, takesExisting } = wanted;
      const { poll } = await check({ organizationId, providerId, credentialId, event, parameters, pointer: "/poll" });
      checkEvery(poll, everySeconds);
      return {
        provider_id: providerId,
        credential_id: credentialId,
        poll_id: event,
        poll_parameters: JSON.stringify(parameters),
        poll_every_seconds: everySeconds,
        poll_takes_existing: takesExisting,
      };
    },

    /** Refuses what a poll cannot become. */
    async checkChange(before: TriggerRow, { credentialId, poll: wanted }: TriggerChange): Promise<void> {
      if (credentialId === undefined && wanted === undefined) return;
      const { poll } = await check({
        organizationId: before.organization_id,
        providerId: before.provider_id ?? "",
        credentialId: credentialId === undefined ? before.credential_id : credentialId,
        event: wanted?.event ?? before.poll_id ?? "",
        parameters: wanted?.parameters ?? (JSON.parse(before.poll_parameters ?? "{}") as unknown),
        pointer: "/poll",
      });
      checkEvery(poll, wanted?.everySeconds);
    },

    saysSame(row: TriggerRow, parameters: Record<string, unknown>): boolean {
      const poll = findProvider(row.provider_id)?.polls.find(({ id }) => id === row.poll_id);
      const before = JSON.parse(row.poll_parameters ?? "{}") as unknown;
      const filled = (given: unknown) => poll?.parameters.safeParse(given).data ?? given;
      return isDeepStrictEqual(filled(before), filled(parameters));
    },

    /** What a trigger looks for. It may be gone, or take other parameters, since it was saved. */
    targetOf(row: TriggerRow): Target {
      const provider = findProvider(row.provider_id);
      const poll = provider?.polls.find(({ id }) => id === row.poll_id);
      if (!provider || !poll)
        throw new Refusal("conflict", `This installation cannot look for ${row.provider_id}/${row.poll_id} any more.`);
      return { provider, poll, parameters: readParameters(poll, JSON.parse(row.poll_parameters ?? "{}"), "") };
    },
  };
}

function checkEvery({ everySeconds: { least } }: Poll, everySeconds: number | null | undefined): void {
  if (everySeconds !== null && everySeconds !== undefined && everySeconds < least)
    throw invalid([
      { pointer: "/poll/everySeconds", detail: `must be at least ${least}: the service is not asked more often` },
    ]);
}

function readParameters(poll: Poll, given: unknown, pointer: string): Record<string, unknown> {
  try {
    return readInput({ input: poll.parameters }, given);
  } catch (error) {
    if (!(error instanceof Refusal) || !error.errors || pointer === "") throw error;
    throw invalid(error.errors.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` })));
  }
}

async function checkCredential(
  vault: Options["vault"],
  { provider, poll }: Target,
  { organizationId, credentialId }: PollRequest,
): Promise<void> {
  const type = provider.credential?.type;
  if (credentialId === null) {
    if (type !== undefined && !poll.worksWithoutAccount)
      throw invalid([{ pointer: "/credentialId", detail: "is required" }]);
    return;
  }
  if (type === undefined)
    throw invalid([{ pointer: "/credentialId", detail: "is not possible: this provider takes no account" }]);
  await vault.check(organizationId, { [type]: toReference(credentialId) }, [type]);
}

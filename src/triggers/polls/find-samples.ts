import { cutItems } from "../../runs/walk/node/cut-items.ts";
import type { PollSampleRequest, PollSamples } from "../wire.ts";
import type { Polls, Target } from "./find-poll.ts";
import type { OpenAccount } from "./open-account.ts";

export type FindSamples = ReturnType<typeof createFindSamples>;

type Options = { polls: Pick<Polls, "check">; openAccount: OpenAccount };

type Place = { target: Target; organizationId: string; credentialId: string | null };

const limitMs = 20_000;
const mostSamples = 3;

/** The newest items of a service, newest first, as their runs would get them. Nothing is stored of it. */
export function createFindSamples({ polls, openAccount }: Options) {
  async function findNewest(
    { target, organizationId, credentialId }: Place,
    most: number,
  ): Promise<PollSamples["items"]> {
    const { provider, poll, parameters } = target;
    const account = await openAccount({ organizationId, provider, credentialId, limitMs });
    const { items } = await account.ask((call) => poll.list(call, { parameters, mark: null, now: call.clock.now() }));
    const newest = items.slice(-most).reverse();
    const { read } = poll;
    if (!read) return newest;
    const found = await Promise.all(
      newest.map(async (item) => ({ id: item.id, payload: await account.ask((call) => read(call, item, parameters)) })),
    );
    return found.filter(({ payload }) => payload !== undefined);
  }

  return {
    findNewest,

    async find(organizationId: string, request: PollSampleRequest): Promise<PollSamples> {
      const { provider, event, parameters } = request;
      const credentialId = request.credentialId ?? null;
      const target = await polls.check({
        organizationId,
        providerId: provider,
        credentialId,
        event,
        parameters,
        pointer: "",
      });
      const { items, truncated } = cutItems(await findNewest({ target, organizationId, credentialId }, mostSamples));
      return { items: items as PollSamples["items"], truncated };
    },
  };
}

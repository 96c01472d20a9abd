import type { Credential, CredentialCall, CredentialData } from "../../../src/contract/credential.ts";
import type { Poll, PollItem, PollPage } from "../../../src/contract/poll.ts";
import { withCall } from "../gateway/with-call.ts";

type LookOptions = {
  credential: () => CredentialData;
  definition: Credential | null;
  parameters?: Record<string, unknown>;
  now?: Date;
};

/** Looks as the product does, one page or item at a time. */
export function lookWith(poll: Poll, { credential, definition, parameters = {}, now = new Date() }: LookOptions) {
  const use = async <Result>(work: (call: CredentialCall) => Promise<Result>): Promise<Result> =>
    await withCall({ definition, credential: credential(), now }, work);
  const wanted = (more: Record<string, unknown>) => poll.parameters.parse({ ...parameters, ...more });
  return {
    list: async (
      mark: string | null,
      options: { now?: Date; parameters?: Record<string, unknown> } = {},
    ): Promise<PollPage> =>
      await use(
        async (call) =>
          await poll.list(call, { parameters: wanted(options.parameters ?? {}), mark, now: options.now ?? now }),
      ),
    read: async (item: PollItem): Promise<unknown> =>
      await use(async (call) => await poll.read?.(call, item, wanted({}))),
  };
}

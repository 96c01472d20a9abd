import type { Credential, CredentialData } from "../../../src/contract/credential.ts";
import type { Poll, PollItem, PollPage } from "../../../src/contract/poll.ts";
import { withCall } from "../gateway/with-call.ts";
import type { FakeProvider } from "../providers/fake-provider.ts";

type Where = { credential: CredentialData; parameters: Record<string, unknown> };

/** Looks at a provider as a trigger does, with what the form of the trigger lets through. */
export async function lookAt(
  poll: Poll,
  definition: Credential,
  { credential, parameters, mark = null, now = new Date() }: Where & { mark?: string | null; now?: Date },
): Promise<PollPage> {
  return await withCall({ definition, credential }, (call) =>
    poll.list(call, { parameters: poll.parameters.parse(parameters), mark, now }),
  );
}

/** What the run of an item gets. */
export async function readItem(
  poll: Poll,
  definition: Credential,
  { credential, parameters, item }: Where & { item: PollItem },
) {
  if (poll.read === null) return item.payload;
  const { read } = poll;
  return await withCall({ definition, credential }, (call) => read(call, item, poll.parameters.parse(parameters)));
}

/** Looks again and again, as a trigger does: each look goes through all pages and gives what was never seen, as its run would get it. */
export function pollAgain(poll: Poll, definition: Credential, where: () => Where) {
  const seen = new Set<string>();
  let mark: string | null = null;
  return async (): Promise<{ id: string; payload: unknown }[]> => {
    const isFirst = mark === null;
    const found: PollItem[] = [];
    for (let hasMore = true; hasMore; ) {
      const page: PollPage = await lookAt(poll, definition, { ...where(), mark });
      for (const item of page.items) {
        if (!seen.has(item.id) && !isFirst) found.push(item);
        seen.add(item.id);
      }
      ({ mark, hasMore } = page);
    }
    const read: { id: string; payload: unknown }[] = [];
    for (const item of found)
      read.push({ id: item.id, payload: await readItem(poll, definition, { ...where(), item }) });
    return read;
  };
}

/** What a fake provider was asked, with bodies as JSON. */
export const asked = (provider: FakeProvider) =>
  provider.requests().map(({ method, path, body }) => ({
    method,
    path: decodeURIComponent(path.replaceAll("+", " ")),
    ...(body.length === 0 ? {} : { json: JSON.parse(body.toString()) as unknown }),
  }));

import { newId } from "../../base/ids.ts";
import { Refusal } from "../../base/refusal.ts";
import { runUnderLimit } from "../../base/run-under-limit.ts";
import { createScrub } from "../../base/scrub.ts";
import { createActionCall, type Outside } from "../../calls/action-call.ts";
import type { PollCall } from "../../contract/poll.ts";
import type { Provider } from "../../contract/provider.ts";
import type { OpenedCredential } from "../../vault/open-credential.ts";
import { toReference } from "../../vault/reference.ts";
import type { Vault } from "../../vault/vault.ts";

export type OpenAccount = ReturnType<typeof createOpenAccount>;

type Options = { vault: Pick<Vault, "check" | "open" | "health">; outside: Outside };

type Account = {
  organizationId: string;
  provider: Provider;
  credentialId: string | null;
  /** How long all questions together may take. */
  limitMs: number;
  signal?: AbortSignal;
};

/** Opens an account once for several questions. What the service refuses is told without the account's secrets, and noted of the account. */
export function createOpenAccount({ vault, outside }: Options) {
  async function open({ organizationId, provider, credentialId, signal }: Account): Promise<OpenedCredential | null> {
    if (credentialId === null) return null;
    const type = provider.credential?.type ?? "";
    const [checked] = await vault.check(organizationId, { [type]: toReference(credentialId) }, [type]);
    if (!checked) throw new Refusal("credential_not_accessible", "There is no such account.");
    return await vault.open(checked, signal ? { signal } : {});
  }

  async function explain(opened: OpenedCredential | null, error: unknown): Promise<unknown> {
    if (!opened || !(error instanceof Error)) return error;
    const { text } = createScrub(opened.secrets());
    if (!(error instanceof Refusal)) return withoutSecrets(error, text);
    return await vault.health.explain(opened, error.reworded(text), "own tool");
  }

  return async (account: Account) => {
    const { organizationId, provider, limitMs, signal } = account;
    const endsAt = performance.now() + limitMs;
    const opened = await open(account);
    const leftMs = () => Math.max(0, endsAt - performance.now());
    // A timer may go off a moment before its time.
    let isTooLate = false;
    const idempotencyKey = newId();
    const callWith = (ended: AbortSignal): PollCall =>
      createActionCall(outside, {
        organizationId,
        provider: provider.title,
        input: {},
        credential: opened,
        isResendable: true,
        idempotencyKey,
        leftMs,
        signal: ended,
      });
    return {
      /** Whether there is no time left for another question. */
      isTooLate: () => isTooLate || leftMs() === 0,
      /** `mostMs` is what this question may take of the time that is left. */
      async ask<Value>(question: (call: PollCall) => Promise<Value>, mostMs = limitMs): Promise<Value> {
        const left = leftMs();
        const tooLate = () => {
          isTooLate ||= left <= mostMs;
          return new Refusal(
            "outbound_timeout",
            `There was no answer within ${(left <= mostMs ? limitMs : mostMs) / 1000} s.`,
          );
        };
        try {
          return await runUnderLimit(
            { limitMs: Math.min(left, mostMs), tooLate, ...(signal ? { signal } : {}) },
            (ended) => question(callWith(ended)),
          );
        } catch (error) {
          throw await explain(opened, error);
        }
      },
      noteSuccess: (): void =>
        void (opened && vault.health.noteSuccess({ definition: opened.definition, row: opened.row() })),
    };
  };
}

/** What nobody expected goes to the log, and may quote what was sent. */
function withoutSecrets({ name, message, stack }: Error, scrub: (text: string) => string): Error {
  return Object.assign(new Error(scrub(message)), { name, stack: scrub(stack ?? "") });
}

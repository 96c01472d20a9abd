import { asUnclear } from "../base/effect.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import { createScrub } from "../base/scrub.ts";
import type { Span } from "../base/tracing.ts";
import type { Tool } from "../contract/tool.ts";
import type { OpenedCredential } from "../vault/open-credential.ts";
import type { Vault } from "../vault/vault.ts";
import type { PreparedCall } from "./prepare.ts";
import { createToolCall, type Outside } from "./tool-call.ts";
import { watchSteps } from "./watch-steps.ts";

export type Execute = ReturnType<typeof createExecute>;

type Item = Record<string, unknown>;

type ExecutionContext = {
  /** The caller's: aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  limitMs: number;
  /** The whole limit, where a part of it was used before. */
  toldMs?: number;
  /** The same for every attempt at this call. */
  idempotencyKey: string;
  /** Asked before every step outside; throws when the call may go no further. */
  beforeStep?: () => Promise<void> | void;
  trace: Span;
};

type Options = {
  vault: Vault;
  outside: Outside;
  log: Log;
  /** Whether providers are told the trace of a call. */
  sendsTraceParent?: boolean;
};

/** Opens the credential and runs the tool, both under the time limit. What comes back or is thrown holds no secret of the call. */
export function createExecute({ vault, outside, log, sendsTraceParent = false }: Options) {
  function noteSuccess(node: PreparedCall["node"], credential: PreparedCall["credential"]): void {
    // Whatever an address of the service answers to another tool says nothing about the account.
    if (credential && isOfOwnService(node, credential)) vault.health.noteSuccess(credential);
  }

  async function explain(node: PreparedCall["node"], opened: OpenedCredential | null, failure: Refusal): Promise<Refusal> {
    if (!opened) return failure;
    return await vault.health.explain(opened, failure, isOfOwnService(node, opened) ? "own tool" : "other tool");
  }

  return async (
    { organizationId, node, input, credential }: PreparedCall,
    { signal, limitMs, toldMs = limitMs, idempotencyKey, beforeStep, trace }: ExecutionContext,
  ): Promise<Item[]> => {
    const { tool, provider } = node;
    const isResendable = tool.isResendable(input);
    const effects = watchEffects(tool.isRepeatable(input));
    const endsAt = performance.now() + limitMs;
    const leftMs = () => endsAt - performance.now();
    let opened: OpenedCredential | null = null;
    try {
      const tooLate = () => new Refusal("tool_timeout", `The tool took longer than ${toldMs / 1000} s.`);
      const items = await runUnderLimit({ limitMs, signal, tooLate }, async (limited) => {
        opened = credential && (await vault.open(credential, { trace, signal: limited }));
        const who = { organizationId, provider: titleOf(node, credential), credential: opened, idempotencyKey };
        const call = { ...who, input, isResendable, signal: limited, leftMs };
        const watched = { beforeStep, onReach: effects.onReach, trace, providerId: provider.id, sendsTraceParent };
        return await watchSteps(outside, watched, (reach) => tool.run(createToolCall(reach, call)));
      });
      noteSuccess(node, credential);
      return createScrub(secretsOf(opened)).value(checkOutput(tool, items)) as Item[];
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw effects.explain(error);
      const failure = effects.explain(withoutSecrets(error, { secrets: secretsOf(opened), tool, log, traceId: trace.traceId }));
      throw await explain(node, opened, failure);
    }
  };
}

/** Who is spoken of in failures: the account's service, where the tool takes accounts of several. */
const titleOf = ({ tool, provider }: PreparedCall["node"], credential: PreparedCall["credential"]): string =>
  credential && !isOfOwnService({ tool }, credential) ? credential.definition.title : provider.title;

const isOfOwnService = ({ tool }: Pick<PreparedCall["node"], "tool">, { definition }: Pick<OpenedCredential, "definition">): boolean =>
  definition.type === tool.credential?.type;

const secretsOf = (opened: OpenedCredential | null): string[] => opened?.secrets() ?? [];

/** Remembers whether a call that its caller must not repeat has reached out, and says so where its outcome is not known. */
function watchEffects(isRepeatable: boolean) {
  let mayHaveActed = false;
  return {
    onReach(now: boolean): void {
      mayHaveActed = now && !isRepeatable;
    },
    explain: <Failure>(failure: Failure): Failure | Refusal => (mayHaveActed && failure instanceof Refusal ? asUnclear(failure) : failure),
  };
}

/** An answer that does not keep to its own schema is our fault; its values stay here. */
function checkOutput(tool: Tool, items: Item[]): Item[] {
  return items.map((item) => {
    const result = tool.output.safeParse(item);
    if (result.success) return result.data;
    const places = result.error.issues.map(({ path }) => path.join("."));
    throw new Error(`${tool.id} returned an item that its output schema does not allow, at ${places.join(", ")}`);
  });
}

type FailedCall = { secrets: string[]; tool: Tool; log: Log; traceId: string };

function withoutSecrets(error: unknown, { secrets, tool, log, traceId }: FailedCall): Refusal {
  const scrub = createScrub(secrets);
  if (error instanceof Refusal) return error.reworded(scrub.text);
  const message = error instanceof Error ? error.message : String(error);
  log.error({ tool: tool.id, traceId, error: scrub.text(message) }, "a tool failed unexpectedly");
  return new Refusal("internal_error", `The tool ${tool.id} failed unexpectedly. The log of the server says more.`);
}

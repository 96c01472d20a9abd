import { asUnclear } from "../base/effect.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import { createScrub } from "../base/scrub.ts";
import type { Span } from "../base/tracing.ts";
import { type CatalogAction, readInput } from "../catalog/catalog.ts";
import type { Action } from "../contract/action.ts";
import type { CredentialData } from "../contract/credential.ts";
import { originsOf } from "../contract/origins.ts";
import type { CheckedCredential, OpenedCredential } from "../vault/open-credential.ts";
import type { Vault } from "../vault/vault.ts";
import { createActionCall, type Outside } from "./action-call.ts";
import { watchSteps } from "./watch-steps.ts";

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
  function noteSuccess(action: PreparedCall["action"], credential: PreparedCall["credential"]): void {
    // Whatever an address of the service answers to another tool says nothing about the account.
    if (credential && isOfOwnService(action, credential)) vault.health.noteSuccess(credential);
  }

  async function explain(
    action: PreparedCall["action"],
    opened: OpenedCredential | null,
    failure: Refusal,
  ): Promise<Refusal> {
    if (!opened) return failure;
    return await vault.health.explain(opened, failure, isOfOwnService(action, opened) ? "own tool" : "other tool");
  }

  return async (
    { organizationId, action, input, credential }: PreparedCall,
    { signal, limitMs, toldMs = limitMs, idempotencyKey, beforeStep, trace }: ExecutionContext,
  ): Promise<Item[]> => {
    const isResendable = action.isResendable(input);
    const effects = watchEffects(action.isRepeatable(input));
    const endsAt = performance.now() + limitMs;
    const leftMs = () => endsAt - performance.now();
    let opened: OpenedCredential | null = null;
    try {
      const tooLate = () => new Refusal("tool_timeout", `The tool took longer than ${toldMs / 1000} s.`);
      const items = await runUnderLimit({ limitMs, signal, tooLate }, async (limited) => {
        opened = credential && (await vault.open(credential, { trace, signal: limited }));
        const who = { organizationId, provider: titleOf(action, credential), credential: opened, idempotencyKey };
        const call = { ...who, input, isResendable, signal: limited, leftMs };
        const watched = {
          beforeStep,
          onReach: effects.onReach,
          trace,
          providerId: action.provider.id,
          sendsTraceParent,
        };
        return await watchSteps(outside, watched, (reach) => action.run(createActionCall(reach, call)));
      });
      noteSuccess(action, credential);
      return createScrub(secretsOf(opened)).value(checkOutput(action, items)) as Item[];
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw effects.explain(error);
      const failure = effects.explain(
        withoutSecrets(error, { secrets: secretsOf(opened), action, log, traceId: trace.traceId }),
      );
      throw await explain(action, opened, failure);
    }
  };
}

/** Who is spoken of in failures: the account's service, where the tool takes accounts of several. */
const titleOf = (action: PreparedCall["action"], credential: PreparedCall["credential"]): string =>
  credential && !isOfOwnService(action, credential) ? credential.definition.title : action.provider.title;

const isOfOwnService = (action: Action, { definition }: Pick<OpenedCredential, "definition">): boolean =>
  definition.type === action.credential?.type;

const secretsOf = (opened: OpenedCredential | null): string[] => opened?.secrets() ?? [];

/** Remembers whether a call that its caller must not repeat has reached out, and says so where its outcome is not known. */
function watchEffects(isRepeatable: boolean) {
  let mayHaveActed = false;
  return {
    onReach(now: boolean): void {
      mayHaveActed = now && !isRepeatable;
    },
    explain: <Failure>(failure: Failure): Failure | Refusal =>
      mayHaveActed && failure instanceof Refusal ? asUnclear(failure) : failure,
  };
}

/** An answer that does not keep to its own schema is our fault; its values stay here. */
function checkOutput(action: Action, items: Item[]): Item[] {
  return items.map((item) => {
    const result = action.output.safeParse(item);
    if (result.success) return result.data;
    const places = result.error.issues.map(({ path }) => path.join("."));
    throw new Error(`${action.id} returned an item that its output schema does not allow, at ${places.join(", ")}`);
  });
}

type FailedCall = { secrets: string[]; action: Action; log: Log; traceId: string };

function withoutSecrets(error: unknown, { secrets, action, log, traceId }: FailedCall): Refusal {
  const scrub = createScrub(secrets);
  if (error instanceof Refusal) return error.reworded(scrub.text);
  const message = error instanceof Error ? error.message : String(error);
  log.error({ tool: action.id, traceId, error: scrub.text(message) }, "a tool failed unexpectedly");
  return new Refusal("internal_error", `The tool ${action.id} failed unexpectedly. The log of the server says more.`);
}

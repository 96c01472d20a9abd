import type { Clock } from "../base/clock.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { ActionCall } from "../contract/call.ts";
import type { Credential, CredentialData } from "../contract/credential.ts";
import { createHttp, type Http } from "../contract/http.ts";
import { baseUrlOf, originsOf } from "../contract/origins.ts";
import { evaluateExpression } from "../expressions/evaluate-expressions.ts";

/** What a call may reach, the same for every call of a process. */
export type Outside = {
  fetch: SafeFetch;
  resolveHost: (host: string) => Promise<string>;
  clock: Clock;
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

type OpenedCredential = {
  definition: Credential;
  /** Read anew for every request, because a refresh replaces it. */
  data: () => CredentialData;
  refresh?: () => Promise<boolean>;
  secrets?: () => string[];
};

type Call = {
  /** Null where an account is checked, which takes no expression. */
  organizationId: string | null;
  provider: string;
  input: Record<string, unknown>;
  credential: OpenedCredential | null;
  isResendable: boolean;
  signal: AbortSignal;
  /** How much of the caller's time is left. */
  leftMs?: () => number;
  idempotencyKey: string;
};

export function createActionCall(outside: Outside, call: Call): ActionCall<Record<string, unknown>, CredentialData> {
  return {
    input: call.input,
    credential: call.credential?.data() ?? {},
    credentialType: call.credential?.definition.type ?? null,
    secrets: () => call.credential?.secrets?.() ?? [],
    http: createCredentialHttp(outside, call),
    fetch: outside.fetch,
    resolveHost: outside.resolveHost,
    signal: call.signal,
    clock: outside.clock,
    async evaluateExpression(expression, input) {
      if (call.organizationId === null) throw new Error("an expression belongs to an organization");
      return await evaluateExpression(call.organizationId, expression, { input, signal: call.signal });
    },
    async reauthorize() {
      return (await call.credential?.refresh?.()) === true ? (call.credential?.data() ?? null) : null;
    },
    idempotencyKey: call.idempotencyKey,
  };
}

function createCredentialHttp(outside: Outside, { credential, provider, isResendable, signal, leftMs }: Call): Http {
  const definition = credential?.definition;
  const data = () => credential?.data() ?? {};
  return createHttp({
    fetch: outside.fetch,
    provider,
    baseUrl: definition ? baseUrlOf(definition, data()) : "",
    origins: definition ? originsOf(definition, data()) : [],
    headers: definition?.headers ?? {},
    authorize: () => (definition ? (variantOf(definition, data()).authorize?.(data()) ?? {}) : {}),
    reauthorize: credential?.refresh,
    readFault: definition?.readFault ?? (() => ({})),
    readRefusal: definition?.readRefusal,
    isRepeatable: isResendable,
    signal,
    leftMs,
    ...(outside.sleep ? { sleep: outside.sleep } : {}),
  });
}

export function variantOf({ type, variants, usualKind }: Credential, data: CredentialData) {
  const variant = variants.length === 1 ? variants[0] : variants.find(({ kind }) => kind === (data.kind ?? usualKind));
  if (!variant) throw new Error(`The credential type ${type} has no variant for this data.`);
  return variant;
}

import { setTimeout as delay } from "node:timers/promises";
import { readingMethods } from "../base/effect.ts";
import { endSentence } from "../base/end-sentence.ts";
import { Refusal } from "../base/refusal.ts";
import { joinSentences, type ProviderFault, type ReadFault, type ReadRefusal } from "./fault.ts";
import {
  type Exchange,
  type ExchangeOptions,
  exchange,
  type HttpRequest,
  isNear,
  redirectTarget,
} from "./http-exchange.ts";
import { readRetryAfterMs } from "./retry-after.ts";

export type Http = ReturnType<typeof createHttp>;

export type { Authorization, FinishedRequest, HttpRequest } from "./http-exchange.ts";

type HttpOptions = ExchangeOptions & {
  provider: string;
  /** Gets a fresh token after the present one was refused; false when there is none to get. */
  reauthorize?: (() => Promise<boolean>) | undefined;
  readFault: ReadFault;
  readRefusal?: ReadRefusal | null | undefined;
  /** Whether its requests may be sent twice; those that only read always may. */
  isRepeatable: boolean;
  /** How much of the caller's time is left; a wait that does not fit into it is not begun. */
  leftMs?: (() => number) | undefined;
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

type Failure = {
  refusal: Refusal;
  isTemporary: boolean;
  /** It said when to come back, and did nothing until then: this may be sent again whatever it does. */
  isTurnedAway?: boolean;
  retryAfterMs: number | undefined;
  mayHaveActed?: boolean;
};

const mostAttempts = 3;
const longestWaitMs = 30_000;
const temporaryStatuses = new Set([429, 500, 502, 503, 504, 529]);
/** Too many requests, and too much to do, as several providers say it. */
const turningAway = new Set([429, 503, 529]);

/** Requests of one tool call to one provider. Failures become refusals that say what the provider said. */
export function createHttp(options: HttpOptions) {
  const { provider, signal, leftMs = () => Number.POSITIVE_INFINITY } = options;
  const { sleep = (ms, abort) => delay(ms, undefined, { signal: abort }) } = options;

  let hasReauthorized = false;

  /** Sends until there is an answer to keep, waiting as the provider asks; what may have had an effect is never sent twice. */
  async function open(request: HttpRequest): Promise<Exchange> {
    for (let repeated = 0; ; repeated++) {
      const outcome = await tryOnce(request);
      if ("response" in outcome) return outcome;
      const waitMs = outcome.retryAfterMs ?? 500 * 2 ** repeated * (0.75 + Math.random() / 2);
      const mayRepeat = outcome.isTurnedAway === true || (outcome.isTemporary && isRepeatable(request));
      if (!mayRepeat || repeated >= mostAttempts - 1 || waitMs > Math.min(longestWaitMs, leftMs()))
        throw outcome.refusal;
      await sleep(waitMs, signal);
    }
  }

  const isRepeatable = ({ repeatable, method = "GET" }: HttpRequest) =>
    repeatable ?? (options.isRepeatable || readingMethods.has(method));

  async function tryOnce(request: HttpRequest): Promise<Exchange | Failure> {
    let step: Exchange;
    try {
      step = await exchange(request, options);
    } catch (error) {
      if (!isDropped(error)) throw error;
      return { refusal: error, isTemporary: true, retryAfterMs: undefined };
    }
    const outcome = await judge(step, request, options);
    const isUnauthorized = "refusal" in outcome && outcome.refusal.isUnauthorized;
    return isUnauthorized ? await tryWithFreshToken(request, outcome) : outcome;
  }

  async function tryWithFreshToken(request: HttpRequest, failure: Failure): Promise<Exchange | Failure> {
    const isReplaced = await reauthorizeOnce();
    const isUnclear = failure.mayHaveActed === true && !isRepeatable(request);
    if (isUnclear) return { ...failure, refusal: asUnknown(failure.refusal, isReplaced) };
    return isReplaced ? await tryOnce(request) : failure;
  }

  async function reauthorizeOnce(): Promise<boolean> {
    if (hasReauthorized || options.reauthorize === undefined) return false;
    hasReauthorized = true;
    return await options.reauthorize();
  }

  const send = async (request: HttpRequest): Promise<Response> => (await open(request)).response;

  return {
    send,
    /** The answer with the address it came from. */
    open,
    /** The answer as JSON; an empty answer is undefined. */
    async json(request: HttpRequest): Promise<unknown> {
      const response = await send({
        ...request,
        headers: { accept: "application/json", ...options.headers, ...request.headers },
      });
      const text = await response.text();
      if (text.trim() === "") return undefined;
      const value = parseJson(text);
      if (value === undefined) throw unclear(provider, response.status);
      return value;
    },
    text: async (request: HttpRequest): Promise<string> => await (await send(request)).text(),
    bytes: async (request: HttpRequest): Promise<Buffer> => Buffer.from(await (await send(request)).arrayBuffer()),
  };
}

/** The answer to keep, or why it is none. */
async function judge(
  step: Exchange,
  { alsoAccept, acceptsRefusals }: HttpRequest,
  options: HttpOptions,
): Promise<Exchange | Failure> {
  const { response, url } = step;
  if (acceptsRefusals) return await judgeCredential(step, options);
  const isAccepted = response.ok || alsoAccept?.includes(response.status) === true;
  const { provider, readFault, readRefusal } = options;
  if (isAccepted && !readRefusal) return step;
  const text = isAccepted ? await response.text() : await response.text().catch(() => "");
  const body = parseJson(text);
  const fault = isAccepted
    ? readRefusal?.(body, response)
    : { ...readFault(body ?? text, response), ...describeRedirect(step) };
  if (isAccepted && isUnclear(fault, body))
    return { refusal: unclear(provider, response.status, body), isTemporary: false, retryAfterMs: undefined };
  return fault
    ? toFailure(provider, response, fault)
    : { response: new Response(text === "" ? null : text, response), url };
}

/** Who refuses does so in its own form; a page of a proxy or nothing at all tells neither that it was done nor that it was not. */
const isUnclear = (fault: ProviderFault | undefined, body: unknown): boolean =>
  fault !== undefined && !fault.isUnauthorized && (body === undefined || fault.isUnclear === true);

/** An answer, whatever it says, unless it says that the credential is not accepted. Its bytes stay as they are. */
async function judgeCredential(
  step: Exchange,
  { provider, readFault, readRefusal }: HttpOptions,
): Promise<Exchange | Failure> {
  const { response, url } = step;
  if (response.ok && !readRefusal) return step;
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  const body = parseJson(text);
  const fault = response.ok ? readRefusal?.(body, response) : readFault(body ?? text, response);
  const failure = fault && toFailure(provider, response, fault);
  if (failure?.refusal.isUnauthorized) return failure;
  return { response: new Response(bytes.length === 0 ? null : bytes, response), url };
}

/** Of another origin only its name is told: what else is in the address is not the caller's to see. */
function describeRedirect(step: Exchange): { message?: string } {
  const target = redirectTarget(step);
  if (target === null) return {};
  return {
    message: isNear(target, step.url)
      ? `It has moved to ${target.origin}${target.pathname}.`
      : `It redirects to ${target.host || `a ${target.protocol} address`}, where this credential is not sent.`,
  };
}

function toFailure(provider: string, { status, headers }: Response, fault: ProviderFault): Failure {
  const retryAfterMs = readRetryAfterMs(headers) ?? fault.retryAfterMs;
  const isTemporary =
    fault.isTemporary === true || temporaryStatuses.has(status) || (status === 403 && retryAfterMs !== undefined);
  // What says how much is left of a quota stands on every answer, also on one of a server that failed in the middle.
  const asksToComeBack = headers.has("retry-after") || status === 429;
  const isTurnedAway =
    retryAfterMs !== undefined && (fault.isTurnedAway === true || (turningAway.has(status) && asksToComeBack));
  const lacksPermission =
    fault.lacksPermission ?? (fault.missingScopes !== undefined || (status === 403 && !isTemporary));
  const refusal = providerFailure(provider, {
    status,
    ...fault,
    message: withAdvice(fault),
    retryAfterMs,
    lacksPermission,
  });
  return {
    isTemporary,
    isTurnedAway,
    retryAfterMs,
    mayHaveActed: fault.mayHaveActed === true,
    refusal: isTurnedAway ? refusal.reworded((text) => text, "none") : refusal,
  };
}

/** The provider's words, and what follows from them. */
const withAdvice = (fault: ProviderFault): string | undefined =>
  fault.advice === undefined ? withScopes(fault) : joinSentences([withScopes(fault), fault.advice]);

function withScopes({ message, missingScopes }: ProviderFault): string | undefined {
  if (missingScopes === undefined) return message;
  const isNamed = missingScopes.length > 0 && missingScopes.every((scope) => message?.includes(scope));
  if (isNamed) return message;
  const names =
    missingScopes.length === 0 ? "scope that the credential does not have" : `scope ${missingScopes.join(" or ")}`;
  const words = `${missingScopes.length === 0 ? "a" : "the"} ${names} is needed`;
  return message ? `${endSentence(message)} ${words[0]?.toUpperCase()}${words.slice(1)}` : words;
}

/** What must not be sent again. A credential that has a new token by now is no longer a refused one. */
function asUnknown(refusal: Refusal, isReplaced: boolean): Refusal {
  const { code, message, provider } = refusal;
  if (!isReplaced) return refusal.reworded((text) => text, "unknown");
  return new Refusal(code, message, { effect: "unknown", provider: { status: undefined, code: provider?.code } });
}

/** Encodes each inserted part as one segment. A part that would climb out of its place is refused. */
export function path(strings: TemplateStringsArray, ...parts: (string | number)[]): string {
  return String.raw({ raw: strings }, ...parts.map(encodeSegment));
}

export function encodeSegment(part: string | number): string {
  const text = String(part);
  if (text === "" || text === "." || text === ".." || !text.isWellFormed())
    throw new Refusal("validation_failed", `"${text}" cannot be part of an address.`);
  return encodeURIComponent(text);
}

type FailureDetails = ProviderFault & { status?: number };

/** A failure in the provider's own words. A credential that is not accepted counts as a 401, whichever status the provider sent. */
export function providerFailure(
  provider: string,
  { status, code, message, retryAfterMs, ...verdict }: FailureDetails,
): Refusal {
  const parts = [status === undefined || status === 200 ? undefined : String(status), code];
  // Some repeat the status as their code.
  const reason = [...new Set(parts.filter((part) => part !== undefined && part !== ""))].join(" ");
  const advice = retryAfterMs === undefined ? "" : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  const words = endSentence(shorten(message?.trim() ?? ""));
  const text = `${provider} refused the call${reason === "" ? "" : ` (${reason})`}${words === "" ? "." : `: ${words}`}${advice}`;
  return new Refusal("provider_error", text, {
    provider: verdict.isUnauthorized
      ? { status: 401, code, refusesCredential: true }
      : {
          status,
          code,
          ...(verdict.lacksPermission ? { lacksPermission: true } : {}),
          missingScopes: verdict.missingScopes,
          ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        },
  });
}

/** It answered that it did what was asked, but not what came of it. */
function unclear(provider: string, status: number, body?: unknown): Refusal {
  const text =
    body === undefined
      ? `The answer of ${provider} is not JSON.`
      : `The answer of ${provider} does not say whether it was done.`;
  return new Refusal("provider_error", text, { provider: { status, code: undefined }, effect: "unknown" });
}

const longestWords = 1000;

// Secrets are taken out by their whole value later on, so a cut must not leave a part of one.
const shorten = (text: string): string =>
  text.length <= longestWords ? text : `${text.slice(0, text.lastIndexOf(" ", longestWords) + 1).trimEnd()}…`;

const isDropped = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === "provider_unreachable";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

import { readingMethods } from "../base/effect.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetchInit } from "../base/safe-fetch.ts";
import { endAfter, factsOfFailure, type Span } from "../base/tracing.ts";
import type { Outside } from "./action-call.ts";

type Options = {
  /** Asked before every step; throws when the call may go no further. */
  beforeStep: (() => Promise<void> | void) | undefined;
  /** Told whether what was sent until now may have changed something outside. */
  onReach: (mayHaveActed: boolean) => void;
  trace: Span;
  providerId: string;
  sendsTraceParent: boolean;
};

/**
 * Does the work with a way outside that is watched. Of a request the trace only learns its method and its answer's status, because an
 * address may hold arguments; of a connection without HTTP, how long it was needed.
 */
export async function watchSteps<Value>(
  outside: Outside,
  options: Options,
  work: (reach: Outside) => Promise<Value>,
): Promise<Value> {
  const { beforeStep, trace, providerId, sendsTraceParent } = options;
  const reached = watchReach(options.onReach);
  const named = { "switchyard.provider": providerId };
  let connection: Span | undefined;
  const reach: Outside = {
    ...outside,
    async fetch(url, init = {}) {
      await beforeStep?.();
      const method = methods.has(init.method ?? "GET") ? (init.method ?? "GET") : "HTTP";
      const request = trace.begin(`${method} ${providerId}`, { ...named, "http.request.method": method }, "client");
      const send = () => outside.fetch(url, sendsTraceParent ? withTraceParent(init, request) : init);
      return await endAfter(request, () => reached.watch(method, send), describeAnswer);
    },
    async resolveHost(host) {
      await beforeStep?.();
      connection ??= trace.begin(`connection ${providerId}`, named, "client");
      const address = await outside.resolveHost(host);
      reached.note(true);
      return address;
    },
  };
  try {
    const value = await work(reach);
    connection?.end();
    return value;
  } catch (error) {
    connection?.end(factsOfFailure(error));
    throw error;
  }
}

/** What is only read, refused, or not even sent has changed nothing. */
function watchReach(onReach: (mayHaveActed: boolean) => void) {
  let mayHaveActed = false;
  const note = (now: boolean) => {
    mayHaveActed = now;
    onReach(now);
  };
  return {
    note,
    async watch(method: string, send: () => Promise<Response>): Promise<Response> {
      if (readingMethods.has(method)) return await send();
      const before = mayHaveActed;
      note(true);
      try {
        const response = await send();
        if (response.status >= 400 && response.status < 500) note(before);
        return response;
      } catch (error) {
        if (error instanceof Refusal && error.effect === "none") note(before);
        throw error;
      }
    },
  };
}

const describeAnswer = ({ status }: Response) => ({
  "http.response.status_code": status,
  ...(status >= 400 ? { "error.type": String(status) } : {}),
});

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A call that sets the header itself goes on with its own trace. */
function withTraceParent(init: SafeFetchInit, request: Span): SafeFetchInit {
  const headers = init.headers ?? {};
  const given = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  if (given.some(([name]) => name.toLowerCase() === "traceparent")) return init;
  return { ...init, headers: [...given, ["traceparent", request.toTraceParent()]] };
}

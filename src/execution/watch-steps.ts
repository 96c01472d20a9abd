import type { SafeFetchInit } from "../base/safe-fetch.ts";
import { endAfter, type Span } from "../base/tracing.ts";
import type { Outside } from "./tool-call.ts";

type Options = {
  /** Asked before every step; throws when the call may go no further. */
  beforeStep: (() => void) | undefined;
  trace: Span;
  providerId: string;
  sendsTraceParent: boolean;
};

/** The way outside of one call. Of a request the trace only learns its method and its answer's status: an address may hold arguments. */
export function watchSteps(outside: Outside, { beforeStep, trace, providerId, sendsTraceParent }: Options): Outside {
  return {
    ...outside,
    async fetch(url, init = {}) {
      beforeStep?.();
      const { method = "GET" } = init;
      const named = methods.has(method) ? method : "HTTP";
      const request = trace.begin(`${named} ${providerId}`, { "switchyard.provider": providerId, "http.request.method": named }, "client");
      return await endAfter(request, () => outside.fetch(url, sendsTraceParent ? withTraceParent(init, request) : init), describeAnswer);
    },
    async resolveHost(host) {
      beforeStep?.();
      return await outside.resolveHost(host);
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

export type FieldFault = { pointer: string; detail: string };

/** An answer of the API that is not a success, or no answer at all (status 0). The message is written for people. */
export type ApiProblem = Error & { status: number; code: string; requestId: string | undefined; errors: FieldFault[] };

export function isApiProblem(error: unknown): error is ApiProblem {
  return error instanceof Error && "status" in error && "code" in error && "errors" in error;
}

/** Whether the same request may well succeed a moment later: the server was away, starting, stopping or busy. */
export function isPassing(error: unknown): boolean {
  return isApiProblem(error) && [0, 502, 503, 504].includes(error.status);
}

export function isStatus(error: unknown, status: number): boolean {
  return isApiProblem(error) && error.status === status;
}

export function unreachable(): ApiProblem {
  return createProblem(
    { status: 0, code: "unreachable" },
    "The server cannot be reached. Check your connection and that Switchyard is running.",
  );
}

export function unreadable(status: number): ApiProblem {
  return createProblem(
    { status, code: "unreadable" },
    `The server answered in a form that cannot be read (status ${status}).`,
  );
}

/** Reads an RFC 9457 problem document; anything else, such as the error page of a proxy, becomes an `unreadable` problem. */
export function parseProblem(status: number, body: unknown): ApiProblem {
  if (typeof body !== "object" || body === null || !("code" in body) || typeof body.code !== "string")
    return unreadable(status);
  const { detail, title, requestId, errors } = body as Record<string, unknown>;
  const message = [detail, title].find((text) => typeof text === "string" && text !== "");
  return createProblem(
    {
      status,
      code: body.code,
      requestId: typeof requestId === "string" ? requestId : undefined,
      errors: Array.isArray(errors) ? errors.filter(isFieldFault) : [],
    },
    typeof message === "string" ? message : `The server refused the request (${body.code}).`,
  );
}

function createProblem(facts: Pick<ApiProblem, "status" | "code"> & Partial<ApiProblem>, message: string): ApiProblem {
  return Object.assign(new Error(message), { requestId: undefined, errors: [], ...facts });
}

function isFieldFault(value: unknown): value is FieldFault {
  if (typeof value !== "object" || value === null) return false;
  const { pointer, detail } = value as Record<string, unknown>;
  return typeof pointer === "string" && typeof detail === "string";
}

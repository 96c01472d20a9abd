import { parseProblem, unreachable, unreadable } from "./problem.ts";

export type Send = (path: string, init: RequestInit) => Promise<Response>;
export type List<Entry> = { data: Entry[] };
type Page<Entry> = List<Entry> & { nextCursor: string | null };

/** Requests to the platform API. Each throws an `ApiProblem` when the answer is not a success. */
export function createRequests(send: Send) {
  return {
    get: <Answer>(path: string) => request<Answer>(send, "GET", path),
    getAll: <Entry>(path: string) => readPages<Entry>(send, path),
    getText: async (path: string) => (await exchange(send, "GET", path)).text,
    post: <Answer>(path: string, body: object = {}, signal?: AbortSignal, headers?: Record<string, string>) =>
      request<Answer>(send, "POST", path, { body, signal, headers }),
    put: <Answer>(path: string, body: object) => request<Answer>(send, "PUT", path, { body }),
    patch: <Answer>(path: string, body: object) => request<Answer>(send, "PATCH", path, { body }),
    remove: <Answer = void>(path: string) => request<Answer>(send, "DELETE", path),
  };
}

export const { get, getAll, getText, post, put, patch, remove } = createRequests((path, init) => fetch(path, init));

/** A path whose parts are escaped: path`/api/organizations/${id}`. */
export function path(texts: TemplateStringsArray, ...parts: string[]): string {
  return String.raw({ raw: texts }, ...parts.map(encodeURIComponent));
}

/** A query string of what is set, with its question mark. */
export function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** All entries of a list that is read page by page. */
async function readPages<Entry>(send: Send, address: string): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Entry> = await request(send, "GET", address + query({ cursor }));
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

type Sent = { body?: object; signal?: AbortSignal | undefined; headers?: Record<string, string> | undefined };

async function request<Answer>(send: Send, method: string, address: string, sent: Sent = {}): Promise<Answer> {
  const { status, text } = await exchange(send, method, address, sent);
  if (text === "") return undefined as Answer;
  const answer = parseJson(text);
  if (answer === undefined) throw unreadable(status);
  return answer as Answer;
}

async function exchange(
  send: Send,
  method: string,
  address: string,
  { body, signal, headers }: Sent = {},
): Promise<{ status: number; text: string }> {
  const init: RequestInit = {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } } : {}),
    ...(signal ? { signal } : {}),
  };
  let response: Response;
  let text: string;
  try {
    response = await send(address, init);
    text = await response.text();
  } catch {
    throw unreachable();
  }
  if (!response.ok) throw parseProblem(response.status, parseJson(text));
  return { status: response.status, text };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

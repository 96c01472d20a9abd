import { unreachable } from "../../../problem.ts";
import { path } from "../../../request.ts";
import type { Call } from "./call.ts";

export type Answer = { status: number; body: unknown };

/** Sends the call as a program would: with the key, without the session of the page. */
export const sendCall = (call: Call, key: string): Promise<Answer> =>
  ask(call.url, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json", ...call.headers },
    body: JSON.stringify(call.body),
  });

export const readExecution = (executionId: string, key: string): Promise<Answer> =>
  ask(path`/task-runner/executions/${executionId}`, { headers: { "x-api-key": key } });

async function ask(address: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(address, { ...init, credentials: "omit" });
    const text = await response.text();
    return { status: response.status, body: readBody(text) };
  } catch {
    throw unreachable();
  }
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

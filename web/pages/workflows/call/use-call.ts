import { useState } from "react";
import type { NodeOverride } from "../../../../src/workflows/wire.ts";
import { path } from "../../../request.ts";
import type { Call } from "./call.ts";

const waitSeconds = 30;

/** The call that is put together on the panel. A body that was written by hand counts as it stands. */
export function useCall(workflowId: string) {
  const [prompt, setPrompt] = useState("");
  const [overrides, setOverrides] = useState<NodeOverride[]>([]);
  const [waits, setWaits] = useState(false);
  const [idempotencyKey, setIdempotencyKey] = useState("");
  const [written, setWritten] = useState<string>();

  const built = { ...(prompt && { runtimePrompt: prompt }), ...(overrides.length > 0 && { nodes: overrides }) };
  const body = written === undefined ? built : parseObject(written);
  const keyFault = /^[\x20-\x7e]*$/.test(idempotencyKey) ? undefined : "Only letters, digits and signs of ASCII";
  const call: Call | undefined =
    body === undefined || keyFault !== undefined
      ? undefined
      : {
          url: location.origin + path`/task-runner/trigger/${workflowId}`,
          body,
          headers: {
            ...(waits && { Prefer: `wait=${waitSeconds}` }),
            ...(idempotencyKey.trim() && { "Idempotency-Key": idempotencyKey.trim() }),
          },
        };

  return {
    call,
    prompt,
    setPrompt,
    overrides,
    setOverrides,
    waits,
    setWaits,
    idempotencyKey,
    setIdempotencyKey,
    keyFault,
    bodyText: written ?? JSON.stringify(built, null, 2),
    isWritten: written !== undefined,
    isBodyReadable: body !== undefined,
    setWritten,
  };
}

export type CallDraft = ReturnType<typeof useCall>;

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

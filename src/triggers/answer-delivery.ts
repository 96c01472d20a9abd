import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { WaitForAnswer } from "../runs/control/wait-for-answer.ts";
import type { Run } from "../runs/wire.ts";
import type { RunResponse } from "../workflows/engine-nodes/respond.ts";
import type { DeliveryAnswer } from "./provider-deliveries.ts";
import type { TriggerRow } from "./store.ts";

type Awaited = { runId: string; signal: AbortSignal };

/** What the run of a delivery says to its sender; undefined where nobody chose to wait, or it takes too long. */
export function createAnswerDelivery(waitForAnswer: WaitForAnswer, log: Log) {
  return async (row: TriggerRow, { runId, signal }: Awaited): Promise<DeliveryAnswer | undefined> => {
    if (row.answer_within_seconds === null) return undefined;
    const limit = { limitMs: row.answer_within_seconds * 1000, signal };
    const found = await waitForAnswer(row.organization_id, runId, limit).catch((error: unknown) => {
      // The run was accepted: whoever heard of a failure would deliver again.
      log.warn({ err: error, runId }, "The answer of a run could not be read.");
      return undefined;
    });
    if (!found) return undefined;
    if ("response" in found) return write(found.response);
    return writeEnd(found.ended);
  };
}

function writeEnd({ status, result }: Pick<Run, "status" | "result">): DeliveryAnswer | undefined {
  // Why it failed is for members: the sender is a stranger.
  if (status !== "succeeded")
    throw new Refusal(
      "workflow_failed",
      `The run of this delivery ${status === "cancelled" ? "was cancelled" : "failed"}.`,
    );
  // Without a result it was too much for one answer.
  return result === null ? undefined : write({ status: 200, headers: {}, body: result });
}

function write({ status, headers, body }: RunResponse): DeliveryAnswer {
  const isText = typeof body === "string" || body === null;
  const {
    "content-type": contentType = isText ? "text/plain; charset=utf-8" : "application/json; charset=utf-8",
    ...others
  } = headers;
  return { status, contentType, headers: { ...guards, ...others }, body: isText ? (body ?? "") : JSON.stringify(body) };
}

/** It comes from an address that also has pages with people signed in, and whose path is a secret. */
const guards = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; sandbox",
  "referrer-policy": "no-referrer",
};

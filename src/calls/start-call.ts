import { newId } from "../base/ids.ts";
import type { StartCall } from "../vault/health.ts";
import { createActionCall, type Outside } from "./action-call.ts";

/** Calls that an account makes by itself, outside of tools: its check, its lists, its webhooks. */
export const createStartCall =
  (outside: Outside): StartCall =>
  (credential, signal) =>
    createActionCall(outside, {
      organizationId: null,
      provider: credential.definition.title,
      input: {},
      credential,
      isResendable: false,
      signal,
      idempotencyKey: newId(),
    });

import { z } from "zod";
import { Refusal } from "../../../src/base/refusal.ts";
import type { Action } from "../../../src/contract/action.ts";
import type { CredentialData } from "../../../src/contract/credential.ts";
import { callTool } from "../../support/gateway/call-tool.ts";
import type { Input } from "./argument-set.ts";
import type { ScriptedAnswer, Verifier } from "./start-verifiers.ts";

export type Outcome = { items?: Input[]; refusal?: Refusal; requests: number; violations: string[]; waits: number[] };

type ExerciseContext = { input: Input; credential: CredentialData; baseUrl?: string; answers?: ScriptedAnswer[] };

/** Calls a tool and says what the verifier thinks of its requests. Anything thrown but a refusal is thrown on. */
export async function exercise(
  tool: Action,
  verifier: Verifier,
  { input, credential, ...rest }: ExerciseContext,
): Promise<Outcome> {
  if (rest.answers) await verifier.script(rest.answers);
  else verifier.forgetRequests();
  const waits: number[] = [];
  const baseUrl = rest.baseUrl ?? verifier.baseUrls[0];
  const outcome = await settle(callTool(tool, { input, credential: { ...credential, baseUrl }, waits }));
  const seen = [...verifier.requests()];
  const violations = seen.flatMap(({ method, path, violations: found, internal }) =>
    [...found.map(({ where, code, message }) => `${where} ${code} ${message}`), ...(internal ? [internal] : [])].map(
      (words) => `${method} ${path}: ${words}`,
    ),
  );
  for (const item of outcome.items ?? []) tool.output.parse(item);
  return { ...outcome, requests: seen.length, violations, waits };
}

async function settle(call: Promise<Input[]>): Promise<{ items?: Input[]; refusal?: Refusal }> {
  try {
    return { items: await call };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    // The product refuses what the tool's schema does not allow before it calls the tool.
    if (error instanceof z.ZodError)
      return { refusal: new Refusal("validation_failed", "The input does not fit the schema.") };
    throw error;
  }
}

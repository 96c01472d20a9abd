import { z } from "zod";
import { defineAction } from "../../../src/contract/action.ts";
import type { Credential, CredentialCall, CredentialData } from "../../../src/contract/credential.ts";
import { callTool } from "./call-tool.ts";

type With = { definition: Credential | null; credential: CredentialData; now?: Date };

/** Does something with the call that a credential's own functions get. What it gives goes through JSON, as it does in the product. */
export async function withCall<Result>(
  { definition, credential, now }: With,
  use: (call: CredentialCall) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  const tool = defineAction({
    id: "use_credential",
    title: "Use credential",
    description: "",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    credential: definition,
    input: z.strictObject({}),
    output: z.object({}),
    async run(call) {
      results.push(await use(call as unknown as CredentialCall));
      return [];
    },
  });
  await callTool(tool, { input: {}, credential, ...(now ? { now } : {}) });
  return results[0] === undefined ? (undefined as Result) : (JSON.parse(JSON.stringify(results[0])) as Result);
}

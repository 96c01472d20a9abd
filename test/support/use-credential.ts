import { z } from "zod";
import type { Credential, CredentialData } from "../../src/contract/credential.ts";
import { defineTool } from "../../src/contract/tool.ts";
import { callTool } from "./call-tool.ts";
import { type Answer, startFakeProvider } from "./fake-provider.ts";

type Use = NonNullable<Credential["check"]>;

/** Runs a credential's check, or something else it does on its own, and returns what the provider was asked. */
export async function useCredential(definition: Credential, data: CredentialData, answers: Answer[], use: Use | null = definition.check) {
  const provider = await startFakeProvider();
  const tool = defineTool({
    id: "use_credential",
    title: "Use credential",
    description: "",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    credential: definition,
    input: z.strictObject({}),
    output: z.object({}),
    async run(call) {
      await use?.(call);
      return [];
    },
  });
  try {
    provider.script(answers);
    await callTool(tool, { input: {}, credential: { ...data, baseUrl: provider.url } });
    return provider.requests();
  } finally {
    await provider.stop();
  }
}

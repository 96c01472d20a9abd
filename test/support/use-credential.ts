import type { Credential, CredentialData } from "../../src/contract/credential.ts";
import { type Answer, startFakeProvider } from "./fake-provider.ts";
import { withCall } from "./with-call.ts";

type Use = NonNullable<Credential["check"]>;

/** Runs a credential's check, or something else it does on its own, and returns what the provider was asked. */
export async function useCredential(definition: Credential, data: CredentialData, answers: Answer[], use: Use | null = definition.check) {
  const provider = await startFakeProvider();
  try {
    provider.script(answers);
    await withCall({ definition, credential: { ...data, baseUrl: provider.url } }, async (call) => await use?.(call));
    return provider.requests();
  } finally {
    await provider.stop();
  }
}

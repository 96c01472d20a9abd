import type { Credential, CredentialData } from "../../../src/contract/credential.ts";
import { withCall } from "../gateway/with-call.ts";
import { type Answer, startFakeProvider } from "../providers/fake-provider.ts";

type Use = NonNullable<Credential["check"]>;

/** Runs a credential's check, or something else it does on its own, and returns what the provider was asked. */
export async function useCredential(
  definition: Credential,
  data: CredentialData,
  answers: Answer[],
  use: Use | null = definition.check,
) {
  const provider = await startFakeProvider();
  try {
    provider.script(answers);
    await withCall({ definition, credential: { ...data, baseUrl: provider.url } }, async (call) => await use?.(call));
    return provider.requests();
  } finally {
    await provider.stop();
  }
}

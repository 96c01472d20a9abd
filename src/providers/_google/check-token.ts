import type { Credential } from "../../contract/credential.ts";
import { providerFailure } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { googleTokenUrl } from "./oauth2.ts";

/** For services without a cheap call: Google tells beside the place where it gives out tokens whether one is still good. */
export const checkGoogleToken: NonNullable<Credential["check"]> = async ({ fetch, credential, signal }) => {
  const url = new URL("tokeninfo", textAt(credential, "tokenUrl") ?? googleTokenUrl);
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${textAt(credential, "accessToken") ?? ""}` },
    signal,
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return;
  throw providerFailure("Google", {
    status: response.status,
    code: textAt(answer, "error"),
    message: textAt(answer, "error_description"),
  });
};

import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import type { ProviderFault } from "../../contract/fault.ts";
import { path } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { apiVersions } from "./api-version.ts";

export const whatsappCredential = defineCredential({
  type: "whatsapp",
  title: "WhatsApp",
  baseUrl: "https://graph.facebook.com",
  variants: {
    bearer: withFields(
      "Access token",
      {
        accessToken: secret("System-user token."),
        phoneNumberId: z.string().min(1).meta({ title: "Phone number ID" }),
        appSecret: secret("Verifies incoming events.").optional(),
        verifyToken: secret("Answers the subscription check.").optional(),
      },
      ({ accessToken }) => ({ headers: { authorization: `Bearer ${accessToken}` } }),
    ),
  },
  readFault: readWhatsappFault,
  check: async ({ http, credential }) =>
    void (await http.json({ path: path`/${apiVersions.graph.version}/${String(credential.phoneNumberId)}` })),
});

// Also with 400: 190 is a token that ended or was taken back, 0 one that could not be checked.
const refusedTokens = new Set(["0", "190"]);

/** Also with 400: a token that may only send is told that the number is not there or may not be read. */
const mayNotRead = (code: string | undefined, subcode: string | undefined): boolean =>
  code === "10" || /^2\d\d$/.test(code ?? "") || (code === "100" && subcode === "33");

function readWhatsappFault(body: unknown): ProviderFault {
  const words = [textAt(body, "error", "message"), textAt(body, "error", "error_data", "details")];
  const code = textAt(body, "error", "code");
  return {
    code,
    message: words.filter(Boolean).join(": "),
    isUnauthorized: refusedTokens.has(code ?? ""),
    lacksPermission: mayNotRead(code, textAt(body, "error", "error_subcode")) || undefined,
  };
}

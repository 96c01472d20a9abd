import type { SMTPConnectionCustomAuthHandlers } from "nodemailer/lib/smtp-connection";
import { Refusal } from "../../base/refusal.ts";
import { providerFailure } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";

// SASL XOAUTH2, as Google and Microsoft describe it: one line with the address and the token. A refusal comes as a challenge that holds
// JSON, to which the answer is an empty line, and only then with the words of the server; Microsoft leaves the challenge out over SMTP.

/** A name that no server offers: the library would otherwise take the first method of the server that it knows. */
const ownMethod = "X-SWITCHYARD-TOKEN";

/** For nodemailer: its own XOAUTH2 sends a refused token a second time, and forgets the words of the refusal. */
export const smtpLoginWithToken = (user: string, accessToken: string) => ({
  auth: { user, method: ownMethod },
  customAuth: {
    async [ownMethod]({ authMethods, sendCommand }) {
      if (!authMethods.includes("XOAUTH2")) throw new Error(noTokenLogin);
      const line = Buffer.from(`user=${user}\u0001auth=Bearer ${accessToken}\u0001\u0001`).toString("base64");
      const first = await sendCommand(`AUTH XOAUTH2 ${line}`);
      const last = first.status === 334 ? await sendCommand("") : first;
      if (last.status < 200 || last.status >= 300) throw new Error("The token was refused.");
    },
  } satisfies SMTPConnectionCustomAuthHandlers,
});

const noTokenLogin = "The server offers no XOAUTH2.";

/** Whether a server was asked for this way in that has none; imapflow has words of its own for it. */
export const isWithoutTokenLogin = (error: unknown): boolean =>
  error instanceof Error && [noTokenLogin, "Unsupported authentication mechanism"].includes(error.message);

export const withoutTokenLogin = (server: string): Refusal =>
  new Refusal("provider_error", `${server} does not take the sign-in of Google and Microsoft (XOAUTH2).`, {
    effect: "none",
  });

/** Exchange Online says the same status where an administrator has switched the protocol off, which no new token mends. */
const switchedOff = /5\.7\.139|SmtpClientAuthentication is disabled/i;

/** Codes of RFC 5530 that say that the login itself is not accepted; others, such as UNAVAILABLE, pass. */
const refusedLogins = new Set([undefined, "AUTHENTICATIONFAILED", "AUTHORIZATIONFAILED", "EXPIRED"]);

export const isSmtpTokenRefused = (status: number, answer: string): boolean =>
  status === 535 && !switchedOff.test(answer);

export const isImapTokenRefused = (error: unknown): boolean =>
  error instanceof Error && "authenticationFailed" in error && refusedLogins.has(textAt(error, "serverResponseCode"));

/** Nothing was sent or read yet. The words that people need are not in the answer of any server. */
export const tokenRefusal = (server: string, code: string | undefined, answer: string): Refusal => {
  const message = `${answer.trim()} Connect the account again, as the user that it names`;
  return providerFailure(server, { code, message, isUnauthorized: true }).reworded((text) => text, "none");
};

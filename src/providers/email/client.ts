import { once } from "node:events";
import { connect, isIP } from "node:net";
import type { ImapFlow } from "imapflow";
import type { Transporter } from "nodemailer";
import type { SentMessageInfo } from "nodemailer/lib/smtp-transport";
import { Refusal } from "../../base/refusal.ts";
import type { ActionCall } from "../../contract/call.ts";
import type { CredentialCall } from "../../contract/credential.ts";
import { providerFailure } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { connectionFailure, tlsForName, unlessAborted } from "../../contract/server-connection.ts";
import {
  isImapTokenRefused,
  isSmtpTokenRefused,
  isWithoutTokenLogin,
  smtpLoginWithToken,
  tokenRefusal,
  withoutTokenLogin,
} from "./token-login.ts";

type Security = "tls" | "starttls" | "none";

export type Account = {
  user: string;
  password?: string | undefined;
  accessToken?: string | undefined;
  fromAddress?: string | undefined;
  smtpHost: string;
  smtpPort: number;
  smtpSecurity: Security;
  imapHost?: string | undefined;
  imapPort: number;
  imapSecurity: Security;
};

export type EmailCall = Pick<ActionCall<unknown, Account>, "credential" | "reauthorize" | "resolveHost" | "signal">;

/** What a credential does on its own knows nothing of the shape of its data. */
export const toEmailCall = (call: CredentialCall): EmailCall => ({
  ...call,
  credential: call.credential as Account,
  reauthorize: async () => (await call.reauthorize()) as Account | null,
});

const connectLimitMs = 10_000;
const silenceLimitMs = 60_000;

type SmtpWork<Result> = (transport: Transporter<SentMessageInfo>) => Promise<Result>;
type ImapWork<Result> = (client: ImapFlow) => Promise<Result>;

/** One connection for one call, closed in any case. STARTTLS is a demand: a server without it gets neither password nor mail. */
export const withSmtp = async <Result>(call: EmailCall, work: SmtpWork<Result>): Promise<Result> =>
  await withFreshToken(call, async (credential) => await useSmtp({ ...call, credential }, work));

/** One connection for one call, closed in any case. */
export const withImap = async <Result>(call: EmailCall, work: ImapWork<Result>): Promise<Result> =>
  await withFreshToken(call, async (credential) => await useImap({ ...call, credential }, work));

/** A token that is refused is replaced once, as it is for requests over HTTP: nothing was sent or read before. */
async function withFreshToken<Result>(
  call: EmailCall,
  attempt: (credential: Account) => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt(call.credential);
  } catch (error) {
    const isRefused = error instanceof Refusal && error.provider?.refusesCredential === true;
    const renewed = isRefused ? await call.reauthorize() : null;
    if (renewed === null) throw error;
    return await attempt(renewed);
  }
}

async function useSmtp<Result>(
  { credential, resolveHost, signal }: EmailCall,
  work: SmtpWork<Result>,
): Promise<Result> {
  const {
    smtpHost: host,
    smtpPort: port = 587,
    smtpSecurity: security = "starttls",
    user,
    password,
    accessToken,
  } = credential;
  const address = await resolveHost(host);
  const { createTransport } = await import("nodemailer");
  signal.throwIfAborted();
  const socket = connect({ host: address, port });
  socket.on("error", () => {});
  try {
    return await unlessAborted(
      signal,
      () => void socket.destroy(),
      async () => {
        await once(socket, "connect", { signal: AbortSignal.timeout(connectLimitMs) });
        const transport = createTransport({
          connection: socket,
          host,
          secure: security === "tls",
          requireTLS: security === "starttls",
          ignoreTLS: security === "none",
          tls: tlsForName(host),
          ...(accessToken === undefined ? { auth: { user, pass: password } } : smtpLoginWithToken(user, accessToken)),
          greetingTimeout: connectLimitMs,
          socketTimeout: silenceLimitMs,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
        return await work(transport);
      },
    );
  } catch (error) {
    throw signal.aborted ? error : explainSmtp(error, host, accessToken !== undefined);
  } finally {
    socket.destroy();
  }
}

async function useImap<Result>(
  { credential, resolveHost, signal }: EmailCall,
  work: ImapWork<Result>,
): Promise<Result> {
  const {
    imapHost: host,
    imapPort: port = 993,
    imapSecurity: security = "tls",
    user,
    password,
    accessToken,
  } = credential;
  if (host === undefined)
    throw new Refusal("validation_failed", "The credential names no IMAP host, so there is no mailbox to search.");
  const address = await resolveHost(host);
  const { ImapFlow: Client } = await import("imapflow");
  const client = new Client({
    host: address,
    port,
    secure: security === "tls",
    ...(security === "tls" ? {} : { doSTARTTLS: security === "starttls" }),
    // Told to the server with a token, which is meant for this name and not for its address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    tls: tlsForName(host),
    auth: accessToken === undefined ? { user, pass: password ?? "" } : { user, accessToken },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: connectLimitMs,
    greetingTimeout: connectLimitMs,
    socketTimeout: silenceLimitMs,
  });
  // A connection that breaks also fails the running command; an unheard event would end the process.
  client.on("error", () => {});
  try {
    return await unlessAborted(
      signal,
      () => client.close(),
      async () => {
        await client.connect();
        return await work(client);
      },
    );
  } catch (error) {
    throw signal.aborted ? error : explainImap(error, host, accessToken !== undefined);
  } finally {
    client.close();
  }
}

function explainSmtp(error: unknown, host: string, hasToken: boolean): Refusal {
  if (hasToken && isWithoutTokenLogin(error)) return withoutTokenLogin("The SMTP server");
  const status = integerAt(error, "responseCode");
  const answer = textAt(error, "response");
  if (status !== undefined && answer !== undefined) return explainAnswer(status, answer, hasToken);
  // The library puts its own code in the place of the certificate's fault.
  const code = textAt(error, "code") ?? "";
  const wasConnected = code !== "ETLS" && textAt(error, "syscall") !== "connect";
  if (["ETLS", "ESOCKET"].includes(code) && error instanceof Error)
    return new Refusal(
      "provider_unreachable",
      `${host} could not be reached: ${error.message.slice(0, 200)}.`,
      wasConnected ? {} : { effect: "none" },
    );
  return connectionFailure(host, error);
}

function explainAnswer(status: number, answer: string, hasToken: boolean): Refusal {
  const message = answer.replaceAll(/^\d{3}[ -]/gm, "").replaceAll(/\s*\n\s*/g, " ");
  if (hasToken && isSmtpTokenRefused(status, answer)) return tokenRefusal("The SMTP server", String(status), message);
  return providerFailure("The SMTP server", { code: String(status), message });
}

function explainImap(error: unknown, host: string, hasToken: boolean): Refusal {
  if (hasToken && isWithoutTokenLogin(error)) return withoutTokenLogin("The IMAP server");
  const answer = textAt(error, "responseText");
  if (answer !== undefined) {
    const code = textAt(error, "serverResponseCode") ?? textAt(error, "responseStatus");
    if (hasToken && isImapTokenRefused(error)) return tokenRefusal("The IMAP server", code, answer);
    return providerFailure("The IMAP server", { code, message: answer });
  }
  if (error instanceof Error && "tlsFailed" in error)
    return new Refusal("provider_unreachable", `${host} could not be reached: ${error.message.slice(0, 200)}.`);
  return connectionFailure(host, error);
}

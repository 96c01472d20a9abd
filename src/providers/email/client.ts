import { once } from "node:events";
import { connect } from "node:net";
import type { ImapFlow } from "imapflow";
import type { Transporter } from "nodemailer";
import type { SentMessageInfo } from "nodemailer/lib/smtp-transport";
import { Refusal } from "../../base/refusal.ts";
import type { ToolCall } from "../../contract/call.ts";
import { providerFailure } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { connectionFailure, tlsForName, unlessAborted } from "../../contract/server-connection.ts";

type Security = "tls" | "starttls" | "none";

export type Account = {
  user: string;
  password: string;
  fromAddress?: string | undefined;
  smtpHost: string;
  smtpPort: number;
  smtpSecurity: Security;
  imapHost?: string | undefined;
  imapPort: number;
  imapSecurity: Security;
};

export type EmailCall = Pick<ToolCall<unknown, Account>, "credential" | "resolveHost" | "signal">;

const connectLimitMs = 10_000;
const silenceLimitMs = 60_000;

/** One connection for one call, closed in any case. STARTTLS is a demand: a server without it gets neither password nor mail. */
export async function withSmtp<Result>(
  { credential, resolveHost, signal }: EmailCall,
  work: (transport: Transporter<SentMessageInfo>) => Promise<Result>,
): Promise<Result> {
  const { smtpHost: host, smtpPort: port = 587, smtpSecurity: security = "starttls", user, password } = credential;
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
          auth: { user, pass: password },
          greetingTimeout: connectLimitMs,
          socketTimeout: silenceLimitMs,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
        return await work(transport);
      },
    );
  } catch (error) {
    throw signal.aborted ? error : explainSmtp(error, host);
  } finally {
    socket.destroy();
  }
}

/** One connection for one call, closed in any case. */
export async function withImap<Result>(
  { credential, resolveHost, signal }: EmailCall,
  work: (client: ImapFlow) => Promise<Result>,
): Promise<Result> {
  const { imapHost: host, imapPort: port = 993, imapSecurity: security = "tls", user, password } = credential;
  if (host === undefined) throw new Refusal("validation_failed", "The credential names no IMAP host, so there is no mailbox to search.");
  const address = await resolveHost(host);
  const { ImapFlow: Client } = await import("imapflow");
  const client = new Client({
    host: address,
    port,
    secure: security === "tls",
    ...(security === "tls" ? {} : { doSTARTTLS: security === "starttls" }),
    tls: tlsForName(host),
    auth: { user, pass: password },
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
    throw signal.aborted ? error : explainImap(error, host);
  } finally {
    client.close();
  }
}

function explainSmtp(error: unknown, host: string): Refusal {
  const status = integerAt(error, "responseCode");
  const answer = textAt(error, "response");
  if (status !== undefined && answer !== undefined)
    return providerFailure("The SMTP server", { code: String(status), message: answer.replace(/^\d{3}[ -]/, "") });
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

function explainImap(error: unknown, host: string): Refusal {
  const answer = textAt(error, "responseText");
  if (answer !== undefined) {
    const code = textAt(error, "serverResponseCode") ?? textAt(error, "responseStatus");
    return providerFailure("The IMAP server", { code, message: answer });
  }
  if (error instanceof Error && "tlsFailed" in error)
    return new Refusal("provider_unreachable", `${host} could not be reached: ${error.message.slice(0, 200)}.`);
  return connectionFailure(host, error);
}

import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../base/log.ts";

export type Mailer = ReturnType<typeof createMailer>;

type Mail = { to: string; subject: string; text: string };

const limitsMs = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
const closeLimitMs = 5_000;

/** Sends by SMTP; without an SMTP server the text goes to the log, so that a lone operator can still follow a link. */
export function createMailer({ smtpUrl, from, log }: { smtpUrl: string | undefined; from: string; log: Log }) {
  // Loaded only where mail is configured: it is a large part of the memory of an idle process.
  const transport =
    smtpUrl === undefined
      ? undefined
      : import("nodemailer").then(({ createTransport }) => createTransport({ url: smtpUrl, ...limitsMs }));
  const underWay = new Set<Promise<void>>();

  return {
    isConfigured: transport !== undefined,

    /** Does not wait: neither what a caller learns nor how long it takes may depend on a mailbox. */
    send(mail: Mail): void {
      if (transport === undefined) {
        log.info({ mail }, "mail is not configured (SMTP_URL): printing instead of sending");
        return;
      }
      const sending: Promise<void> = transport
        .then((connection) => connection.sendMail({ from, ...mail }))
        .then(() => undefined)
        .catch((error: Error) => log.error({ error: error.message, subject: mail.subject }, "mail could not be sent"))
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },

    async close(): Promise<void> {
      await Promise.race([Promise.all(underWay), delay(closeLimitMs, undefined, { ref: false })]);
      (await transport)?.close();
    },
  };
}

import { ImapFlow } from "imapflow";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startDovecot } from "./real-servers.ts";

/** Dovecot with the mailbox of one person, for all tests of a `describe`. Each of them begins with an empty inbox. */
export function useImapServer({ user, password }: { user: string; password: string }) {
  let server: NonNullable<Awaited<ReturnType<typeof startDovecot>>>;
  let admin: ImapFlow;

  beforeAll(async () => {
    const started = await startDovecot({ user, password });
    if (!started) throw new Error("Dovecot is missing");
    server = started;
    const auth = { user, pass: password };
    admin = new ImapFlow({
      host: "127.0.0.1",
      port: server.port,
      secure: false,
      doSTARTTLS: false,
      auth,
      logger: false,
    });
    await admin.connect();
  });
  beforeEach(async () => {
    await admin.mailboxOpen("INBOX");
    await admin.messageDelete("1:*");
  });
  afterAll(async () => {
    admin.close();
    await server.stop();
  });
  return { admin: () => admin, server: () => server };
}

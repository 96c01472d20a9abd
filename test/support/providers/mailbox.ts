import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer } from "smtp-server";

/** A mail server on loopback that keeps what it gets. It takes its time before it accepts a mail when told so. */
export async function startMailbox({ delayMs = 0 }: { delayMs?: number } = {}) {
  const mails: { to: string[]; source: string; text: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    async onData(stream, session, done) {
      const source = (await stream.toArray()).join("");
      await delay(delayMs);
      mails.push({
        to: session.envelope.rcptTo.map(({ address }) => address),
        source,
        text: decodeQuotedPrintable(source),
      });
      done();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    to: (address: string) => mails.filter((mail) => mail.to.includes(address)),
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

const decodeQuotedPrintable = (source: string): string =>
  /^content-transfer-encoding: quoted-printable/im.test(source)
    ? source
        .replaceAll("=\r\n", "")
        .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : source;

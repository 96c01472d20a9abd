import type { ImapFlow } from "imapflow";
import { expect, it } from "vitest";
import { readMails } from "./read-mails.ts";

const mailOf = (uid: number, source: string) => ({
  uid,
  source: Buffer.from(source),
  envelope: { subject: `mail ${uid}` },
});

it("reads a mail in more layers than are followed without its text, and those after it", async () => {
  const layers = Array.from(
    { length: 300 },
    (_, index) => `Content-Type: multipart/mixed; boundary="b${index}"\r\n\r\n--b${index}\r\n`,
  );
  const mails = [
    mailOf(1, `${layers.join("")}Content-Type: text/plain\r\n\r\nhi\r\n`),
    mailOf(2, "Content-Type: text/plain\r\n\r\nhi\r\n"),
  ];
  // A server that describes such a mail in fewer layers than it has, so that it is not left out before.
  const client = { fetchAll: async () => mails } as unknown as ImapFlow;
  const request = { includeBody: true, hasRoom: () => false, newestFirst: false };
  expect(await readMails(client, { range: "1:2", isUid: true }, request)).toMatchObject([
    { uid: 1, subject: "mail 1", body: "" },
    { uid: 2, subject: "mail 2", body: "hi" },
  ]);
});

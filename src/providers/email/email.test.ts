import { createServer, type Socket } from "node:net";
import tls from "node:tls";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { useImapServer } from "../../../test/support/providers/imap-server.ts";
import { createCertificate, describeWithProgram } from "../../../test/support/providers/real-servers.ts";
import { emailCredential } from "./credential.ts";
import { action as search } from "./search.ts";
import { action as send } from "./send.ts";

const login = { user: "ann@example.com", password: 'pa ss"wörd' };
const account = (more: Record<string, unknown>) => ({
  ...login,
  smtpHost: "localhost",
  smtpSecurity: "none",
  imapSecurity: "none",
  ...more,
});

async function trusting<Result>(certificate: string, work: () => Promise<Result>): Promise<Result> {
  const usual = tls.getCACertificates("default");
  tls.setDefaultCACertificates([certificate]);
  try {
    return await work();
  } finally {
    tls.setDefaultCACertificates(usual);
  }
}

describeWithProgram("openssl", "email_send", () => {
  let pem: Awaited<ReturnType<typeof createCertificate>>;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    pem = await createCertificate();
  });
  afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

  async function startSmtp(options: SMTPServerOptions = {}) {
    const mails: { from: string; to: string[]; secure: boolean; source: string; mail: Email }[] = [];
    const seen = { connections: 0, closed: 0, passwords: [] as string[] };
    const server = new SMTPServer({
      key: pem.key,
      cert: pem.certificate,
      allowInsecureAuth: true,
      closeTimeout: 100,
      onConnect(_session, done) {
        seen.connections++;
        done();
      },
      onClose: () => void seen.closed++,
      onAuth({ username, password }, _session, done) {
        seen.passwords.push(password ?? "");
        if (username === login.user && password === login.password) done(null, { user: username });
        else done(Object.assign(new Error("5.7.8 Wrong login"), { responseCode: 535 }));
      },
      onRcptTo({ address }, _session, done) {
        if (address.startsWith("nobody")) done(Object.assign(new Error("5.1.1 No such user"), { responseCode: 550 }));
        else done();
      },
      async onData(stream, { envelope, secure }, done) {
        const source = Buffer.concat(await stream.toArray());
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        mails.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          secure,
          source: source.toString(),
          mail: await PostalMime.parse(source),
        });
        done();
      },
      ...options,
    });
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return { port: (server.server.address() as { port: number }).port, mails, seen };
  }

  const write = async (
    port: number,
    input: Record<string, unknown>,
    more: Record<string, unknown> = {},
    options = {},
  ) =>
    await callTool(send, {
      input: { to: ["bob@example.com"], subject: "Hi", text: "Hello", ...input },
      credential: account({ smtpPort: port, ...more }),
      ...options,
    });

  it("sends a text", async () => {
    const { port, mails } = await startSmtp();
    const [sent] = await write(port, {}, {}, { idempotencyKey: "once" });
    expect(sent).toEqual({
      messageId: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
      accepted: ["bob@example.com"],
      rejected: [],
    });
    expect(mails).toMatchObject([
      {
        from: login.user,
        to: ["bob@example.com"],
        mail: { subject: "Hi", messageId: sent?.messageId, from: { address: login.user } },
      },
    ]);
    expect(mails[0]?.mail.text?.trim()).toBe("Hello");
    expect((await write(port, {}, {}, { idempotencyKey: "once" }))[0]?.messageId).toBe(sent?.messageId);
  });

  it("sends everything that is given", async () => {
    const { port, mails } = await startSmtp();
    const input = {
      to: ['"Böb, Jr." <bob@example.com>', "carl@example.com"],
      cc: ["dora@example.com"],
      bcc: ["eve@example.com"],
      replyTo: "Ann <reply@example.com>",
      subject: 'Grüße 😀 "quoted" =?utf-8?q?x?=',
      text: "Zeile\n.\nEnde ü",
      html: "<b>ü</b>",
      attachments: [
        { filename: "bild ü.png", contentBase64: "AP8=", mimeType: "image/png" },
        { filename: "a.txt", contentBase64: "aGk=" },
      ],
    };
    const [sent] = await write(port, input, { fromAddress: "Änn <news@example.com>" });
    expect(sent?.accepted).toEqual(["bob@example.com", "carl@example.com", "dora@example.com", "eve@example.com"]);
    const { mail, source, from } = mails[0] ?? { mail: {} as Email, source: "", from: "" };
    expect(from).toBe("news@example.com");
    expect(source).not.toContain("eve@example.com");
    expect(mail).toMatchObject({
      from: { name: "Änn", address: "news@example.com" },
      to: [
        { name: "Böb, Jr.", address: "bob@example.com" },
        { name: "", address: "carl@example.com" },
      ],
      cc: [{ address: "dora@example.com" }],
      replyTo: [{ address: "reply@example.com" }],
      subject: input.subject,
      attachments: [
        { filename: "bild ü.png", mimeType: "image/png" },
        { filename: "a.txt", mimeType: "text/plain" },
      ],
    });
    expect(mail.text?.trim()).toBe(input.text);
    expect(mail.html?.trim()).toBe(input.html);
    expect(Buffer.from(mail.attachments[0]?.content as ArrayBuffer).toString("hex")).toBe("00ff");
  });

  it("answers a mail, with what mail programs put it into its conversation by", async () => {
    const { port, mails } = await startSmtp();
    await write(port, {
      inReplyTo: "<b@example.com>",
      references: ["<a@example.com>", "<b@example.com>"],
      subject: "Re: Hi",
    });
    await write(port, { inReplyTo: "c@example.com" });
    await write(port, { references: ["<a@example.com>", "b@example.com"] });
    expect(mails.map(({ mail: { inReplyTo, references } }) => [inReplyTo, references])).toEqual([
      ["<b@example.com>", "<a@example.com> <b@example.com>"],
      ["<c@example.com>", "<c@example.com>"],
      [undefined, "<a@example.com> <b@example.com>"],
    ]);
  });

  it("says which recipients were refused", async () => {
    const { port } = await startSmtp();
    expect(await write(port, { to: ["bob@example.com", "nobody@example.com"] })).toMatchObject([
      { accepted: ["bob@example.com"], rejected: ["nobody@example.com"] },
    ]);
    await expect(write(port, { to: ["nobody@example.com"] })).rejects.toThrow(
      /The SMTP server refused the call \(550\): .*No such user/,
    );
  });

  it.each([
    [{ text: undefined }, "/text"],
    [{ to: [] }, "/to"],
    [{ subject: "Hi\r\nBcc: eve@example.com" }, "/subject"],
    [{ subject: "Hi\nX: y" }, "/subject"],
    [{ to: ["bob@example.com\r\nBcc: eve@example.com"] }, "/to/0"],
    [{ to: ["bob@example.com", "Bob\n <bob@example.com>"] }, "/to/1"],
    [{ to: ["bob@example.com, eve@example.com"] }, "/to/0"],
    [{ to: ["team: bob@example.com;"] }, "/to/0"],
    [{ to: ["bob"] }, "/to/0"],
    [{ to: ['"eve@evil.example"@example.com'] }, "/to/0"],
    [{ cc: ["x@example.com> SIZE=1"] }, "/cc/0"],
    [{ bcc: ["\0@example.com"] }, "/bcc/0"],
    [{ replyTo: "a@example.com\rX: y" }, "/replyTo"],
    [{ inReplyTo: "<a@example.com>\r\nBcc: eve@example.com" }, "/inReplyTo"],
    [{ inReplyTo: "<a@example.com>", references: ["no id"] }, "/references/0"],
    [{ attachments: [{ filename: "a\r\nX: y", contentBase64: "" }] }, "/attachments/0/filename"],
    [{ attachments: [{ filename: "a", contentBase64: "%%" }] }, "/attachments/0/contentBase64"],
  ])("refuses %j before anything is sent", async (input, pointer) => {
    const { port, seen } = await startSmtp();
    await expect(write(port, input)).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
    expect(seen.connections).toBe(0);
  });

  it("refuses a type of an attachment that is none", async () => {
    await expect(
      write(1, { attachments: [{ filename: "a", contentBase64: "", mimeType: "text/plain\r\nX: y" }] }),
    ).rejects.toThrow();
  });

  it("reads no file for a mail", async () => {
    await expect(write(1, { attachments: [{ filename: "a", path: "/etc/hostname" }] })).rejects.toThrow();
  });

  it("says what is wrong with the login, without the password", async () => {
    const { port, mails } = await startSmtp();
    const call = write(port, {}, { password: "not this one" });
    await expect(call).rejects.toMatchObject({
      code: "provider_error",
      provider: { code: "535" },
      message: expect.not.stringContaining("not this one"),
    });
    expect(mails).toEqual([]);
  });

  it("says when nobody listens or the line is cut", async () => {
    await expect(write(1, {})).rejects.toMatchObject({
      code: "provider_unreachable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    const rude = createServer((socket) => void socket.resume().end("220 hello\r\n"));
    await new Promise<void>((resolve) => rude.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => rude.close(resolve)));
    await expect(write((rude.address() as { port: number }).port, {})).rejects.toMatchObject({
      code: "provider_unreachable",
    });
  });

  it("sends no password and no mail where STARTTLS is asked for and not there", async () => {
    const { port, mails, seen } = await startSmtp({ disabledCommands: ["STARTTLS"] });
    await expect(write(port, {}, { smtpSecurity: "starttls" })).rejects.toMatchObject({ name: "Refusal" });
    await expect(write(port, {}, { smtpSecurity: undefined })).rejects.toMatchObject({ name: "Refusal" });
    expect({ mails, passwords: seen.passwords }).toEqual({ mails: [], passwords: [] });
  });

  it.each(["starttls", "tls"])("checks the certificate with %s", async (smtpSecurity) => {
    const { port, mails, seen } = await startSmtp({ secure: smtpSecurity === "tls" });
    await expect(write(port, {}, { smtpSecurity })).rejects.toThrow(/localhost could not be reached: .*self-signed/);
    expect(seen.passwords).toEqual([]);
    await trusting(pem.certificate, async () => {
      await write(port, {}, { smtpSecurity });
      await expect(write(port, {}, { smtpSecurity, smtpHost: "127.0.0.1" })).rejects.toMatchObject({
        code: "provider_unreachable",
      });
    });
    expect(mails).toMatchObject([{ secure: true }]);
  });

  it("breaks off when it is aborted", async () => {
    const { port, seen } = await startSmtp({ onMailFrom: () => {} });
    const abort = new AbortController();
    const refused = expect(write(port, {}, {}, { signal: abort.signal })).rejects.toThrow("enough");
    await expect.poll(() => seen.passwords.length).toBe(1);
    abort.abort(new Error("enough"));
    await refused;
    await expect.poll(() => seen.closed).toBe(1);
    await expect(write(port, {}, {}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    expect(seen.connections).toBe(1);
  });

  it("is tried by the credential's check", async () => {
    const { port, seen } = await startSmtp();
    const check = async (more: Record<string, unknown>) =>
      await emailCredential.check?.({
        credential: account({ smtpPort: port, ...more }),
        resolveHost: async () => "127.0.0.1",
        signal: AbortSignal.timeout(5000),
      } as never);
    await check({ smtpHost: "mail.example" });
    await expect(check({ password: "wrong" })).rejects.toMatchObject({ provider: { code: "535" } });
    await expect.poll(() => seen.closed).toBe(2);
  });
});

describeWithProgram("dovecot", "email_search", () => {
  const { admin, server } = useImapServer(login);
  const find = async (input: Record<string, unknown> = {}, more: Record<string, unknown> = {}, options = {}) =>
    await callTool(search, {
      input,
      credential: account({ imapHost: "localhost", imapPort: server().port, ...more }),
      ...options,
    });
  const store = async (
    lines: string[],
    flags: string[] = [],
    date = new Date("2026-01-02T03:04:05Z"),
    mailbox = "INBOX",
  ) => await admin().append(mailbox, lines.join("\r\n"), flags, date);
  const plain = (subject: string, body: string, from = "Bob <bob@example.com>") => [
    `From: ${from}`,
    "To: Ann <ann@example.com>, carl@example.com",
    `Subject: ${subject}`,
    `Message-ID: <${encodeURIComponent(subject)}@example.com>`,
    "Date: Fri, 02 Jan 2026 03:04:05 +0100",
    "Content-Type: text/plain; charset=utf-8",
    "",
    body,
  ];

  beforeAll(async () => void (await admin().mailboxCreate("Ärchiv & Co")));

  it("finds nothing in an empty mailbox", async () => {
    expect(await find()).toEqual([]);
  });

  it("finds messages, newest first, and marks none as seen", async () => {
    await store(plain("First", "Hello  there,\r\nAnn"));
    await store(plain("Second", "x"), ["\\Seen"]);
    const found = await find();
    expect(found.map(({ subject, seen }) => [subject, seen])).toEqual([
      ["Second", true],
      ["First", false],
    ]);
    expect(found[1]).toEqual({
      uid: expect.any(Number),
      messageId: "<First@example.com>",
      from: "Bob <bob@example.com>",
      to: ["Ann <ann@example.com>", "carl@example.com"],
      subject: "First",
      date: "2026-01-02T02:04:05.000Z",
      snippet: "Hello there, Ann",
      seen: false,
      attachments: [],
    });
    expect((await find({ unseenOnly: true })).map(({ subject }) => subject)).toEqual(["First"]);
    await admin().mailboxOpen("INBOX");
    expect(await admin().search({ seen: true })).toHaveLength(1);
  });

  const withFiles = [
    "From: Bob <bob@example.com>",
    "To: ann@example.com",
    "Cc: Carl <carl@example.com>",
    "Reply-To: help@example.com",
    "Message-ID: <3@example.com>",
    "References: <1@example.com>\r\n <2@example.com>",
    "Subject: Files",
    'Content-Type: multipart/mixed; boundary="x"',
    "",
    "--x",
    "Content-Type: text/html; charset=utf-8",
    "",
    "<style>p{}</style><p>Grüße &amp; <b>mehr</b></p>",
    "--x",
    'Content-Type: application/pdf; name="r.pdf"',
    'Content-Disposition: attachment; filename="rüport.pdf"',
    "Content-Transfer-Encoding: base64",
    "",
    "AP8BAg==",
    "--x",
    "Content-Type: text/plain",
    'Content-Disposition: attachment; filename="big.txt"',
    "",
    "y".repeat(11 * 1024 * 1024),
    "--x--",
  ];

  it("reads bodies and attached files, as far as there is room for them, and marks nothing as seen", async () => {
    await store(withFiles);
    const [listed] = await find();
    expect(listed).toMatchObject({
      cc: ["Carl <carl@example.com>"],
      replyTo: "help@example.com",
      references: ["<1@example.com>", "<2@example.com>"],
      attachments: [{ mimeType: "application/pdf" }, { filename: "big.txt", size: 11 * 1024 * 1024 }],
    });
    expect(listed).not.toHaveProperty("body");
    expect(JSON.stringify(listed)).not.toContain("contentBase64");
    const [read] = await find({ includeBody: true, includeAttachments: true });
    expect(read).toMatchObject({
      body: "Grüße & mehr",
      attachments: [{ size: 4, contentBase64: "AP8BAg==" }, { filename: "big.txt" }],
    });
    expect(read).not.toHaveProperty("attachments.1.contentBase64");
    expect(read).not.toHaveProperty("isBodyCut");
    expect(await find({ unseenOnly: true })).toHaveLength(1);
  });

  it("says so when the text itself goes on, also behind an attached file", async () => {
    await store(plain("Long", "z".repeat(300 * 1024)));
    const [long] = await find({ includeBody: true });
    expect(long).toMatchObject({ subject: "Long", isBodyCut: true });
    const footer = ["--x", "Content-Type: text/plain", "", "And this.", "--x--"];
    await store([...withFiles.slice(0, -1), ...footer]);
    const [first] = await find({ includeBody: true });
    expect(first).toMatchObject({ isBodyCut: true });
  });

  it("searches by every field", async () => {
    await store(plain("Invoice 7", 'pay "now" (x) {5}\\', "carl@other.example"), [], new Date("2026-03-01T12:00:00Z"));
    await store(
      plain("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=", "schöne Grüße", "Bob <bob@example.com>"),
      [],
      new Date("2026-01-01T12:00:00Z"),
    );
    const subjects = async (input: Record<string, unknown>) => (await find(input)).map(({ subject }) => subject);
    expect(await subjects({ from: "other.example" })).toEqual(["Invoice 7"]);
    expect(await subjects({ subject: "Grüße" })).toEqual(["Grüße"]);
    expect(await subjects({ text: "schöne" })).toEqual(["Grüße"]);
    expect(await subjects({ text: 'pay "now" (x) {5}\\' })).toEqual(["Invoice 7"]);
    expect(await subjects({ since: "2026-02-01" })).toEqual(["Invoice 7"]);
    expect(await subjects({ since: "2026-02-01", from: "bob" })).toEqual([]);
    expect(await subjects({ subject: 'x" DELETED\r\nA1 DELETE INBOX' })).toEqual([]);
    expect(await find()).toHaveLength(2);
    await expect(find({ since: "yesterday" })).rejects.toThrow();
  });

  it("returns no more than the limit", async () => {
    for (const number of [1, 2, 3]) await store(plain(`Mail ${number}`, "x"));
    expect((await find({ limit: 2 })).map(({ subject }) => subject)).toEqual(["Mail 3", "Mail 2"]);
  });

  it("opens other mailboxes, whatever they are called", async () => {
    await store(plain("Old", "x"), [], new Date(), "Ärchiv & Co");
    expect(await find({ mailbox: "Ärchiv & Co" })).toMatchObject([{ subject: "Old" }]);
    await expect(find({ mailbox: 'no "such\r\nbox' })).rejects.toMatchObject({ name: "Refusal" });
    await expect(find({ mailbox: "nowhere" })).rejects.toThrow(
      /The IMAP server refused the call \(NO\): Mailbox doesn't exist/,
    );
  });

  it("shows the start of HTML, of encoded and of huge messages", async () => {
    const head = ["From: a@example.com", "Subject: s", "MIME-Version: 1.0"];
    await store([
      ...head,
      "Content-Type: text/html; charset=utf-8",
      "",
      "<style>p{}</style><p>Hällo <b>Ann</b></p><script>x()</script>",
    ]);
    await store([
      ...head,
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from("Grüße", "latin1").toString("base64"),
    ]);
    await store([...head, "Content-Type: text/plain", "", "y".repeat(900).concat("\r\n").repeat(3000)]);
    await store(["Subject: no headers to speak of", "", ""]);
    const found = await find();
    expect(found.map(({ snippet }) => snippet)).toEqual(["", "y".repeat(300), "Grüße", "Hällo Ann"]);
    expect(found[0]).toMatchObject({ to: [], subject: "no headers to speak of", date: "2026-01-02T03:04:05.000Z" });
  });

  it("says what is wrong with the login, without the password", async () => {
    const call = find({}, { password: "not this one" });
    await expect(call).rejects.toMatchObject({
      code: "provider_error",
      provider: { code: "AUTHENTICATIONFAILED" },
      message: expect.not.stringContaining("not this one"),
    });
    await expect(find({}, { imapHost: undefined })).rejects.toMatchObject({ code: "validation_failed" });
  });

  it.each(["starttls", "tls"])("checks the certificate with %s", async (imapSecurity) => {
    const imapPort = imapSecurity === "tls" ? server().tlsPort : server().port;
    await expect(find({}, { imapSecurity, imapPort })).rejects.toMatchObject({ code: "provider_unreachable" });
    await trusting(server().certificate, async () => {
      expect(await find({}, { imapSecurity, imapPort })).toEqual([]);
      await expect(find({}, { imapSecurity, imapPort, imapHost: "127.0.0.1" })).rejects.toMatchObject({
        code: "provider_unreachable",
      });
    });
  });

  describe("with a server that misbehaves", () => {
    async function startRude(answer: (line: string, tag: string) => string | undefined, greeting = "* OK hello\r\n") {
      const lines: string[] = [];
      const state = { closed: 0 };
      const reply = (socket: Socket, line: string) => {
        lines.push(line);
        const words = answer(line, line.split(" ")[0] ?? "");
        if (words === "") socket.destroy();
        else if (words !== undefined) socket.write(words);
      };
      const rude = createServer((socket) => {
        socket.write(greeting);
        socket.on("error", () => {});
        socket.on("close", () => state.closed++);
        socket.on("data", (data) => {
          for (const line of data.toString().trim().split("\r\n")) reply(socket, line);
        });
      });
      await new Promise<void>((resolve) => rude.listen(0, "127.0.0.1", resolve));
      return {
        port: (rude.address() as { port: number }).port,
        lines,
        state,
        stop: () => new Promise((resolve) => rude.close(resolve)),
      };
    }

    it.each(["* OK hello\r\n", "* PREAUTH welcome\r\n"])(
      "sends no password where STARTTLS is asked for and not there: %j",
      async (greeting) => {
        const rude = await startRude(
          (line, tag) =>
            line.includes("CAPABILITY") ? `* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n${tag} OK\r\n` : `${tag} OK\r\n`,
          greeting,
        );
        await expect(find({}, { imapPort: rude.port, imapSecurity: "starttls" })).rejects.toMatchObject({
          code: "provider_unreachable",
        });
        expect(rude.lines.filter((line) => /LOGIN|AUTHENTICATE|SEARCH|EXAMINE/.test(line))).toEqual([]);
        await rude.stop();
      },
    );

    it("says when the line is cut in the middle", async () => {
      const rude = await startRude((line, tag) =>
        line.includes("LOGIN") ? "" : `* CAPABILITY IMAP4rev1\r\n${tag} OK\r\n`,
      );
      await expect(find({}, { imapPort: rude.port })).rejects.toMatchObject({ code: "provider_unreachable" });
      await rude.stop();
    });

    it("breaks off when it is aborted", async () => {
      const rude = await startRude((line, tag) =>
        line.includes("LOGIN") ? undefined : `* CAPABILITY IMAP4rev1\r\n${tag} OK\r\n`,
      );
      const abort = new AbortController();
      const refused = expect(find({}, { imapPort: rude.port }, { signal: abort.signal })).rejects.toThrow("enough");
      await expect.poll(() => rude.lines.some((line) => line.includes("LOGIN"))).toBe(true);
      abort.abort(new Error("enough"));
      await refused;
      await expect.poll(() => rude.state.closed).toBe(1);
      await rude.stop();
    });
  });
});

import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeWithProgram, startDovecot } from "../../../test/support/providers/real-servers.ts";
import { action as search } from "./search.ts";
import { action as send } from "./send.ts";

const user = "ann@example.com";
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

/** A server that speaks in lines, as the vendor does; keeps what it was told. */
async function startLines(greeting: string, answer: (line: string) => string) {
  const lines: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    socket.write(greeting);
    createInterface({ input: socket }).on("line", (line) => {
      lines.push(line);
      socket.write(answer(line));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return { port: (server.address() as AddressInfo).port, lines, connections: () => connections };
}

const sasl = (token: string) => Buffer.from(`user=${user}\u0001auth=Bearer ${token}\u0001\u0001`).toString("base64");
const challenge = Buffer.from('{"status":"401","schemes":"bearer mac","scope":"https://mail.google.com/"}').toString(
  "base64",
);

const account = (port: number, accessToken: string) => ({
  kind: "google",
  user,
  accessToken,
  smtpHost: "localhost",
  smtpPort: port,
  smtpSecurity: "none",
  imapHost: "localhost",
  imapPort: port,
  imapSecurity: "none",
});

const write = async (port: number, token: string, renewed?: string) =>
  await callTool(send, {
    input: { to: ["bob@example.com"], subject: "Hi", text: "Hello" },
    credential: account(port, token),
    ...(renewed === undefined ? {} : { renewed: account(port, renewed) }),
  });

describe("SMTP with a token", () => {
  const replies: [RegExp, string][] = [
    [/^(MAIL|RCPT)/, "250 2.1.0 OK\r\n"],
    [/^QUIT$/, "221 2.0.0 bye\r\n"],
    [/^DATA$/, "354 Go ahead\r\n"],
  ];

  /** The lines of a mail end with a dot. */
  function speakSmtp(hello: string[], authenticate: (line: string) => string) {
    const greeting = [...hello.slice(0, -1).map((entry) => `250-${entry}`), `250 ${hello.at(-1)}`, ""].join("\r\n");
    let isData = false;
    return (line: string): string => {
      const wasData = isData;
      isData = line === "DATA" || (wasData && line !== ".");
      if (wasData) return isData ? "" : "250 2.0.0 OK\r\n";
      return [[/^EHLO/, greeting] as const, ...replies].find(([form]) => form.test(line))?.[1] ?? authenticate(line);
    };
  }

  // As smtp.gmail.com answers.
  const google = () =>
    startLines(
      "220 smtp.gmail.com ESMTP x - gsmtp\r\n",
      speakSmtp(
        [
          "smtp.gmail.com at your service",
          "SIZE 35882577",
          "8BITMIME",
          "AUTH LOGIN PLAIN XOAUTH2 PLAIN-CLIENTTOKEN OAUTHBEARER XOAUTH",
          "SMTPUTF8",
        ],
        (line) => {
          if (line === `AUTH XOAUTH2 ${sasl("good")}`) return "235 2.7.0 Accepted\r\n";
          if (line.startsWith("AUTH")) return `334 ${challenge}\r\n`;
          return "535-5.7.8 Username and Password not accepted. For more information, go to\r\n535 5.7.8  https://support.google.com/mail/?p=BadCredentials x - gsmtp\r\n";
        },
      ),
    );

  // As smtp.office365.com answers: without a challenge.
  const microsoft = (refusal: string) =>
    startLines(
      "220 FR3P281CA0094.outlook.office365.com Microsoft ESMTP MAIL Service ready\r\n",
      speakSmtp(
        ["FR3P281CA0094.outlook.office365.com Hello", "SIZE 157286400", "AUTH LOGIN XOAUTH2", "SMTPUTF8"],
        (line) =>
          line === `AUTH XOAUTH2 ${sasl("good")}` ? "235 2.7.0 Authentication successful\r\n" : `535 ${refusal}\r\n`,
      ),
    );
  const unsuccessful = "5.7.3 Authentication unsuccessful [FR3P281CA0094.DEUP281.PROD.OUTLOOK.COM]";

  it("signs in with one line and never with the token as a password", async () => {
    const { port, lines } = await google();
    expect(await write(port, "good")).toMatchObject([{ accepted: ["bob@example.com"] }]);
    expect(lines.filter((line) => line.startsWith("AUTH"))).toEqual([`AUTH XOAUTH2 ${sasl("good")}`]);
  });

  it("answers the challenge of a refusal with an empty line, and says that the account is refused", async () => {
    const { port, lines } = await google();
    await expect(write(port, "bad")).rejects.toMatchObject({
      code: "provider_error",
      effect: "none",
      provider: { status: 401, code: "535", refusesCredential: true },
      message: expect.stringMatching(/not accepted\. .*BadCredentials.* Connect the account again/),
    });
    const after = lines.slice(lines.indexOf(`AUTH XOAUTH2 ${sasl("bad")}`));
    expect(after.slice(0, 2)).toEqual([`AUTH XOAUTH2 ${sasl("bad")}`, ""]);
    expect(lines.filter((line) => line.startsWith("AUTH"))).toHaveLength(1);
  });

  it.each([
    ["Google", google],
    ["Microsoft", () => microsoft(unsuccessful)],
  ])("takes another token once where %s refuses the first", async (_, start) => {
    const { port, lines, connections } = await start();
    expect(await write(port, "bad", "good")).toMatchObject([{ accepted: ["bob@example.com"] }]);
    expect(lines.filter((line) => line.startsWith("AUTH"))).toEqual([
      `AUTH XOAUTH2 ${sasl("bad")}`,
      `AUTH XOAUTH2 ${sasl("good")}`,
    ]);
    expect(connections()).toBe(2);
    expect(lines.filter((line) => line === "DATA")).toHaveLength(1);
  });

  it("tells what an administrator switched off from a token that is refused", async () => {
    const { port, connections } = await microsoft(
      "5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant. Visit https://aka.ms/smtp_auth_disabled for more information.",
    );
    await expect(write(port, "bad", "good")).rejects.toMatchObject({
      provider: { code: "535" },
      isUnauthorized: false,
      message: expect.stringContaining("disabled for the Tenant"),
    });
    expect(connections()).toBe(1);
  });

  it("says where a server takes no token, and sends none", async () => {
    const { port, lines } = await startLines(
      "220 hello\r\n",
      speakSmtp(["hello", "AUTH PLAIN LOGIN"], () => "535 5.7.8 no\r\n"),
    );
    await expect(write(port, "good")).rejects.toThrow(
      /The SMTP server does not take the sign-in of Google and Microsoft/,
    );
    expect(lines.join("\n")).not.toContain("AUTH");
  });
});

describe("IMAP with a token", () => {
  const find = async (port: number, token: string, renewed?: string) =>
    await callTool(search, {
      input: {},
      credential: account(port, token),
      ...(renewed === undefined ? {} : { renewed: account(port, renewed) }),
    });

  function speakImap(capabilities: string, refuse: (tag: string) => string) {
    let tag = "";
    return (line: string): string => {
      const [given = "", command] = line.split(" ");
      if (command === undefined) return `${refuse(tag)}\r\n`;
      tag = given;
      if (command === "CAPABILITY") return `* CAPABILITY ${capabilities}\r\n${tag} OK done\r\n`;
      if (command !== "AUTHENTICATE") return `${tag} OK done\r\n`;
      return refuse("").includes("AUTHENTICATE failed") ? `${refuse(tag)}\r\n` : `+ ${challenge}\r\n`;
    };
  }

  it("answers Google's challenge, and says that the account is refused", async () => {
    const { port, lines } = await startLines(
      "* OK Gimap ready for requests\r\n",
      speakImap(
        "IMAP4rev1 SASL-IR AUTH=XOAUTH2 AUTH=PLAIN",
        (tag) => `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)`,
      ),
    );
    await expect(find(port, "bad")).rejects.toMatchObject({
      provider: { status: 401, code: "AUTHENTICATIONFAILED", refusesCredential: true },
      message: expect.stringContaining("Invalid credentials (Failure) Connect the account again"),
    });
    const [asked = -1] = lines.flatMap((line, index) =>
      line.endsWith(`AUTHENTICATE XOAUTH2 ${sasl("bad")}`) ? [index] : [],
    );
    expect(lines[asked + 1]).toBe("");
  });

  it("names the host where OAUTHBEARER is offered", async () => {
    const { port, lines } = await startLines(
      "* OK ready\r\n",
      speakImap(
        "IMAP4rev1 SASL-IR AUTH=OAUTHBEARER",
        (tag) => `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)`,
      ),
    );
    await expect(find(port, "bad")).rejects.toMatchObject({ provider: { refusesCredential: true } });
    const sent =
      lines
        .find((line) => line.includes("OAUTHBEARER"))
        ?.split(" ")
        .at(-1) ?? "";
    expect(Buffer.from(sent, "base64").toString()).toContain(`n,a=${user},\u0001host=localhost\u0001`);
  });

  it("takes Microsoft's bare refusal the same way", async () => {
    const { port } = await startLines(
      "* OK The Microsoft Exchange IMAP4 service is ready.\r\n",
      speakImap("IMAP4 IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR", (tag) => `${tag} NO AUTHENTICATE failed.`),
    );
    await expect(find(port, "bad")).rejects.toMatchObject({ provider: { refusesCredential: true } });
  });

  it("does not take a server that is busy for a refusal", async () => {
    const { port } = await startLines(
      "* OK ready\r\n",
      speakImap("IMAP4rev1 SASL-IR AUTH=XOAUTH2", (tag) => `${tag} NO [UNAVAILABLE] Temporary System Error`),
    );
    await expect(find(port, "good", "other")).rejects.toMatchObject({
      isUnauthorized: false,
      provider: { code: "UNAVAILABLE" },
    });
  });

  it("says where a server takes no token, and sends none", async () => {
    const { port, lines } = await startLines(
      "* OK ready\r\n",
      speakImap("IMAP4rev1 AUTH=PLAIN", (tag) => `${tag} NO no`),
    );
    await expect(find(port, "good")).rejects.toThrow(
      /The IMAP server does not take the sign-in of Google and Microsoft/,
    );
    expect(lines.join("\n")).not.toContain("AUTHENTICATE");
  });
});

describeWithProgram("dovecot", "a mailbox opened with a token", () => {
  let server: NonNullable<Awaited<ReturnType<typeof startDovecot>>>;
  const tokens = createHttpServer((request, response) => {
    const isGood = new URL(request.url ?? "", "http://x").searchParams.get("access_token") === "good";
    response
      .writeHead(isGood ? 200 : 401, { "content-type": "application/json" })
      .end(JSON.stringify(isGood ? { email: user } : {}));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => tokens.listen(0, "127.0.0.1", resolve));
    const tokenInfoUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/?access_token=`;
    const started = await startDovecot({ user, password: "unused", tokenInfoUrl });
    if (!started) throw new Error("Dovecot is missing");
    server = started;
  });
  afterAll(async () => {
    await server.stop();
    tokens.closeAllConnections();
    await new Promise((resolve) => tokens.close(resolve));
  });
  const find = (token: string, renewed?: string) =>
    callTool(search, {
      input: {},
      credential: account(server.port, token),
      ...(renewed === undefined ? {} : { renewed: account(server.port, renewed) }),
    });

  it("is read, also after the first token was refused", async () => {
    expect(await find("good")).toEqual([]);
    expect(await find("bad", "good")).toEqual([]);
  });

  it("says that the token is refused", async () => {
    await expect(find("bad")).rejects.toMatchObject({ provider: { status: 401, refusesCredential: true } });
  });
});

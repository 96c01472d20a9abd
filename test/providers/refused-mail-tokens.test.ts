import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import tls from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OAuth2 } from "../../src/contract/credential.ts";
import { clientOf } from "../../src/vault/request-tokens.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { createCertificate } from "../support/providers/real-servers.ts";

let mcp: McpApp;
let provider: FakeOAuth;
let server: tls.Server;
const usual = tls.getCACertificates("default");
const seen: string[] = [];
let accepted: () => string | undefined = () => undefined;

beforeAll(async () => {
  provider = await startFakeOAuth();
  mcp = await startMcpApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  const { certificate, key } = await createCertificate();
  tls.setDefaultCACertificates([...usual, certificate]);
  server = tls.createServer({ cert: certificate, key }, (socket) => {
    const answer = speakSmtp();
    socket.on("error", () => {});
    socket.write("220 smtp.gmail.com ESMTP\r\n");
    createInterface({ input: socket }).on("line", (line) => void socket.write(answer(line)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => {
  provider.reset();
  seen.length = 0;
});
afterAll(async () => {
  tls.setDefaultCACertificates(usual);
  await new Promise((resolve) => server.close(resolve));
  await mcp.stop();
  await provider.stop();
});

const challenge = Buffer.from('{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}').toString(
  "base64",
);
const refusal =
  "535-5.7.8 Username and Password not accepted. For more information, go to\r\n535 5.7.8  BadCredentials - gsmtp\r\n";

function authenticate(line: string): string {
  const [, token = ""] = Buffer.from(line.split(" ")[2] ?? "", "base64")
    .toString()
    .split("\u0001")
    .map((part) => part.replace("auth=Bearer ", ""));
  seen.push(token);
  return token === accepted() ? "235 2.7.0 Accepted\r\n" : `334 ${challenge}\r\n`;
}

const replies: [string, string][] = [
  ["EHLO", "250-smtp.gmail.com at your service\r\n250 AUTH LOGIN PLAIN XOAUTH2\r\n"],
  ["DATA", "354 Go ahead\r\n"],
  ["MAIL", "250 2.1.0 OK\r\n"],
  ["RCPT", "250 2.1.5 OK\r\n"],
  ["QUIT", "221 2.0.0 bye\r\n"],
];

/** As smtp.gmail.com speaks. */
function speakSmtp() {
  let isData = false;
  return (line: string): string => {
    const wasData = isData;
    isData = line === "DATA" || (wasData && line !== ".");
    if (wasData) return isData ? "" : "250 2.0.0 OK\r\n";
    if (line.startsWith("AUTH")) return authenticate(line);
    return replies.find(([start]) => line.startsWith(start))?.[1] ?? refusal;
  };
}

const place = (credentialId: string) => ({ organizationId: mcp.owner.organizationId, credentialId });
const read = (credentialId: string) => mcp.app.parts.vault.credentials.get(place(credentialId));
const connect = (data: Record<string, unknown>) =>
  mcp.app.parts.vault.credentials.create(mcp.owner.organizationId, {
    type: "email",
    name: "My mail",
    data,
    createdBy: null,
  });

function mailbox() {
  const { baseUrl: _, ...connection } = provider.connection(new Date(Date.now() + 3_600_000));
  const smtp = { smtpHost: "localhost", smtpPort: (server.address() as AddressInfo).port, smtpSecurity: "tls" };
  return { kind: "google", user: "ann@example.com", ...smtp, ...connection };
}

async function send({ reference }: { reference: string }) {
  const { json } = await mcp.client.modern("email", "tools/call", {
    name: "email_send",
    arguments: { to: ["bob@example.com"], subject: "Hi", text: "Hello", credentials: { email: reference } },
  });
  return json.result as { content: { text: string }[] };
}

describe("a token that a mail server refuses", () => {
  it("is replaced once, and the mail is sent", async () => {
    const data = mailbox();
    accepted = () => provider.issued.at(-1);
    provider.issued.length = 0;
    expect(await send(await connect(data))).toMatchObject({
      structuredContent: { items: [{ accepted: ["bob@example.com"] }] },
    });
    expect(seen).toEqual([data.accessToken, provider.issued.at(-1)]);
  });

  it("and whose successor is refused too: the account must be connected again", async () => {
    accepted = () => undefined;
    const account = await connect(mailbox());
    const result = await send(account);
    expect(result).toMatchObject({
      isError: true,
      _meta: { "switchyard/error": { code: "credential_needs_reconnect" } },
    });
    expect(result.content[0]?.text).toContain(`/credentials/${account.id}`);
    expect(result.content[0]?.text).not.toContain("It may have been done");
    await expect.poll(async () => (await read(account.id)).health).toBe("needs_reconnect");
    await send(account);
    expect(seen).toHaveLength(2);
  });
});

describe("a mail account of before there were several ways to sign in", () => {
  it("goes on with its password", async () => {
    const account = await connect({
      user: "ann@example.com",
      password: "hunter22",
      smtpHost: "127.0.0.1",
      smtpPort: 1,
    });
    const { vault } = mcp.app.parts;
    const { kind, ...before } = vault.readStored({ row: await vault.credentials.find(place(account.id)) });
    expect(kind).toBe("custom");
    const sealed = vault.seal.seal(JSON.stringify(before), place(account.id));
    await mcp.app.database.query("UPDATE credential SET sealed = $1 WHERE id = $2", [sealed, account.id]);
    expect((await send(account)).content[0]?.text).toContain("ECONNREFUSED");
  });
});

describe("the client of the installation", () => {
  it("is that of the vendor, so that none gets the secret of the other", async () => {
    const clients = { EMAIL: { id: "no", secret: "s" }, EMAIL_GOOGLE: { id: "google-client", secret: "s" } };
    const variants = mcp.app.parts.catalog.credentialTypes.get("email")?.definition.variants ?? [];
    const of = (kind: string) => variants.find((variant) => variant.kind === kind)?.oauth2 as OAuth2;
    expect(clientOf("email", of("google"), {}, clients).id).toBe("google-client");
    expect(() => clientOf("email", of("microsoft"), {}, clients)).toThrow("needs a client id");
  });
});

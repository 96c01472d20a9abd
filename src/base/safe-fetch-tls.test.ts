import { createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { createAddressRules } from "./address-rules.ts";
import { createSafeFetch } from "./safe-fetch.ts";

const addressRules = createAddressRules({ allowedCidrs: ["127.0.0.0/8"] });
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

const field = (tag: number, ...parts: (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};

/** A self-signed X.509 certificate for provider.test, because Node can sign but not write one. */
const createCertificate = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = field(0x30, "06082a8648ce3d040302");
  const name = field(0x30, field(0x31, field(0x30, "0603550403", field(0x0c, Buffer.from("provider.test")))));
  const validity = field(0x30, field(0x17, Buffer.from("200101000000Z")), field(0x17, Buffer.from("491231235959Z")));
  const alternativeName = field(0x30, "0603551d11", field(0x04, field(0x30, field(0x82, Buffer.from("provider.test")))));
  const version = field(0xa0, "020102");
  const key = publicKey.export({ type: "spki", format: "der" });
  const extensions = field(0xa3, field(0x30, alternativeName));
  const content = field(0x30, version, "020101", ecdsaWithSha256, name, validity, name, key, extensions);
  const signature = field(0x03, "00", createSign("sha256").update(content).sign(privateKey));
  const certificate = field(0x30, content, ecdsaWithSha256, signature).toString("base64");
  const cert = `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) };
};

const serve = async (answer: RequestListener, { isTrusted }: { isTrusted: boolean }) => {
  const certificate = createCertificate();
  const before = getCACertificates("default");
  if (isTrusted) setDefaultCACertificates([...before, certificate.cert]);
  const server = createServer(certificate, answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const safeFetch = createSafeFetch({ addressRules, lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
  endings.push(
    safeFetch.close,
    () => server.close(),
    () => setDefaultCACertificates(before),
  );
  return { safeFetch, port: (server.address() as AddressInfo).port };
};

test("a trusted certificate for the name is accepted", async () => {
  const { safeFetch, port } = await serve((_request, response) => response.end("hello"), { isTrusted: true });
  expect(await (await safeFetch(`https://provider.test:${port}/`)).text()).toBe("hello");
});

test("a certificate for another name is an unreachable provider", async () => {
  const { safeFetch, port } = await serve((_request, response) => response.end("hello"), { isTrusted: true });
  await expect(safeFetch(`https://other.test:${port}/`)).rejects.toMatchObject({
    code: "provider_unreachable",
    message: "other.test could not be reached (ERR_TLS_CERT_ALTNAME_INVALID).",
  });
});

test("an untrusted certificate is an unreachable provider", async () => {
  const { safeFetch, port } = await serve((_request, response) => response.end("hello"), { isTrusted: false });
  await expect(safeFetch(`https://provider.test:${port}/`)).rejects.toMatchObject({
    code: "provider_unreachable",
    message: expect.stringContaining("DEPTH_ZERO_SELF_SIGNED_CERT"),
  });
});

test("a redirect from https to http is refused", async () => {
  const { safeFetch, port } = await serve(
    (_request, response) => response.writeHead(302, { location: "http://provider.test:4444/" }).end(),
    {
      isTrusted: true,
    },
  );
  await expect(safeFetch(`https://provider.test:${port}/`, { followRedirects: 1 })).rejects.toMatchObject({
    code: "outbound_refused",
    message: "provider.test redirected from https to http.",
  });
});

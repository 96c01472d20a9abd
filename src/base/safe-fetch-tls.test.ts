import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { createCertificate } from "../../test/support/certificate.ts";
import { createAddressRules } from "./address-rules.ts";
import { createSafeFetch } from "./safe-fetch.ts";

const addressRules = createAddressRules({ allowedCidrs: ["127.0.0.0/8"] });
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

const serve = async (answer: RequestListener, { isTrusted }: { isTrusted: boolean }) => {
  const certificate = createCertificate("provider.test");
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

test("a redirect from https to https is followed", async () => {
  const { safeFetch, port } = await serve(
    (request, response) =>
      request.url === "/" ? response.writeHead(302, { location: "/next" }).end() : response.end("hello"),
    { isTrusted: true },
  );
  expect(await (await safeFetch(`https://provider.test:${port}/`, { followRedirects: 1 })).text()).toBe("hello");
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

test("a handshake with a server that speaks no TLS sent nothing", async () => {
  const plain = createTcpServer((client) => void client.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await once(plain.listen(0, "127.0.0.1"), "listening");
  endings.push(() => plain.close());
  const { safeFetch } = await serve((_request, response) => response.end(), { isTrusted: true });
  await expect(safeFetch(`https://provider.test:${(plain.address() as AddressInfo).port}/`)).rejects.toMatchObject({
    message: expect.stringContaining("WRONG_VERSION_NUMBER"),
    effect: "none",
  });
});

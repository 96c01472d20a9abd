import { createSign, generateKeyPairSync } from "node:crypto";

/** A self-signed X.509 certificate for one name, because Node can sign but not write one. */
export function createCertificate(hostname: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = field(0x30, "06082a8648ce3d040302");
  const name = field(0x30, field(0x31, field(0x30, "0603550403", field(0x0c, Buffer.from(hostname)))));
  const validity = field(0x30, field(0x17, Buffer.from("200101000000Z")), field(0x17, Buffer.from("491231235959Z")));
  const alternativeName = field(0x30, "0603551d11", field(0x04, field(0x30, field(0x82, Buffer.from(hostname)))));
  const version = field(0xa0, "020102");
  const key = publicKey.export({ type: "spki", format: "der" });
  const extensions = field(0xa3, field(0x30, alternativeName));
  const content = field(0x30, version, "020101", ecdsaWithSha256, name, validity, name, key, extensions);
  const signature = field(0x03, "00", createSign("sha256").update(content).sign(privateKey));
  const certificate = field(0x30, content, ecdsaWithSha256, signature).toString("base64");
  const cert = `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) };
}

function field(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

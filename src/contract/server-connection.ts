import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { z } from "zod";
import { isUnconnected } from "../base/effect.ts";
import { Refusal } from "../base/refusal.ts";
import { textAt } from "./read.ts";

// For providers that speak another protocol than HTTP: databases, mail servers.

/** TLS to a server that is reached by its checked address and must still prove the name it is known by. */
export const tlsForName = (
  host: string,
  { isVerified = true, ca }: { isVerified?: boolean; ca?: string | undefined } = {},
) => ({
  ...(isIP(host) === 0 ? { servername: host } : {}),
  rejectUnauthorized: isVerified,
  ...trusting(ca),
  checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
});

/** The authorities to trust instead of the public ones, where any are named. Spaces that were copied along would hide where one begins. */
export const trusting = (ca: string | undefined): { ca?: string } =>
  ca === undefined ? {} : { ca: ca.replaceAll(/^[ \t]+/gm, "") };

/** A field of accounts whose servers prove themselves by an authority that only their operator knows, as managed databases do. */
export const certificateAuthority = () =>
  z
    .string()
    .max(200_000)
    .regex(/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/)
    .optional()
    .meta({ title: "Certificate authority" })
    .describe(
      "Certificates in PEM form to trust for this server instead of the public ones, from -----BEGIN CERTIFICATE----- on.",
    );

/** Does the work unless the signal is aborted first: then `breakOff` ends it, also on the server, and the signal's reason is thrown. */
export async function unlessAborted<Result>(
  signal: AbortSignal,
  breakOff: () => Promise<void> | void,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  let breakingOff: Promise<void> | undefined;
  const onAbort = () => {
    breakingOff = Promise.resolve(breakOff()).catch(() => {});
    void breakingOff.then(() => reject(signal.reason));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } catch (error) {
    await breakingOff;
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const unknownAuthority = /self[-_ ]signed|unable[-_ ]to[-_ ](?:get|verify)/i;

/** What helps against a certificate whose authority nobody knows, with an account that has the field above. */
export const adviseAuthority = (fault: string): string =>
  unknownAuthority.test(fault) ? " Enter the certificate authority of the server in the credential." : "";

/**
 * What the caller is told when there is no answer of the server itself. Only the code is passed on: texts may hold anything.
 * `advise` adds what to do about it.
 */
export function connectionFailure(host: string, error: unknown, advise: (code: string) => string = () => ""): Refusal {
  if (error instanceof Refusal) return error;
  const code = textAt(error, "code") ?? "";
  const reason = /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : "";
  const advice = advise(code);
  const isCertificate = /CERT|SIGNATURE|ISSUER/.test(code);
  return new Refusal(
    "provider_unreachable",
    isCertificate
      ? `The certificate of ${host} is not trusted${reason}.${advice}`
      : `${host} could not be reached or broke off${reason}.`,
    isUnconnected(code) || textAt(error, "syscall") === "connect" ? { effect: "none" } : {},
  );
}

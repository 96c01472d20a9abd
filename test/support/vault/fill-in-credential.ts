import { z } from "zod";
import type { Credential, Variant } from "../../../src/contract/credential.ts";
import { writeRobotKey } from "../robot-key.ts";

type Field = { secret?: boolean; enum?: string[]; format?: string; type?: string };

const closedPort = 1;
const samples: Record<string, string> = {
  ca: "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----",
  accountSid: `AC${"0".repeat(32)}`,
  apiKeySid: `SK${"0".repeat(32)}`,
  region: "eu-central-1",
  authKind: "basic",
};

/** Data of a credential of this kind: every secret carries the mark, every address is the given one. */
export function fillInCredential(
  { variants, baseUrl }: Credential,
  variant: Variant,
  { url, mark }: { url: string; mark: string },
) {
  const { properties = {} } = z.toJSONSchema(variant.fields, { io: "input" }) as { properties?: Record<string, Field> };
  const entries = Object.entries(properties).map(([name, field]): [string, unknown] => [
    name,
    field.secret ? secretFor(name, { url, mark }) : (samples[name] ?? field.enum?.at(-1) ?? harmless(name, field, url)),
  ]);
  const data = Object.fromEntries(entries);
  return {
    ...(variants.length > 1 ? { kind: variant.kind } : {}),
    ...data,
    ...(baseUrl === null || "baseUrl" in data ? {} : { baseUrl: url }),
  };
}

/** The mark of a key file is in what is sent nowhere. */
const secretFor = (name: string, { url, mark }: { url: string; mark: string }): string =>
  name === "serviceAccountKey"
    ? writeRobotKey(`${url}/token`, { client_id: `CANARY+${name}/${mark}` })
    : `CANARY+${name}/${mark}`;

function harmless(name: string, { type = "", format = "" }: Field, url: string): unknown {
  const byKind: Record<string, unknown> = {
    email: "someone@acme.test",
    "date-time": new Date(Date.now() - 1000).toISOString(),
    uri: `${url}/${name}`,
    integer: closedPort,
    boolean: false,
  };
  return byKind[format] ?? byKind[type] ?? (/host$/i.test(name) ? "127.0.0.1" : "someone");
}

import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { writeRobotKey } from "../robot-key.ts";

export type Variant = CredentialTypeEntry["variants"][number];

type Goal = { host: string; port: number };
/** Data of an account that leads to `host` wherever an account can; its token is over, so that it is refreshed there as well. */
export function accountLeadingTo(
  goal: Goal,
  { takesBaseUrl }: CredentialTypeEntry,
  variant: Variant,
): Record<string, unknown> {
  const address = `http://${goal.host}:${goal.port}`;
  const tokens = {
    clientId: "c",
    clientSecret: "s",
    tokenUrl: address,
    accessToken: "a",
    refreshToken: "r",
    expiresAt: "2020-01-01T00:00:00Z",
  };
  return {
    ...dataFor(variant, goal),
    ...(takesBaseUrl ? { baseUrl: address } : {}),
    ...(variant.isOAuth2 ? tokens : {}),
  };
}

type Schema = { type?: string; enum?: string[]; minLength?: number; format?: string; pattern?: string };

const ofType: Record<string, unknown> = { integer: 1, number: 1, boolean: false };

/** Fields of a variant, all of which lead to `host`. */
function dataFor({ kind, schema }: Variant, { host, port }: Goal): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const addresses: Record<string, unknown> = {
    accountSid: `AC${"0".repeat(32)}`,
    serviceAccountKey: writeRobotKey(`https://${host}:${port}/token`),
    host: bare,
    smtpHost: bare,
    imapHost: bare,
    port,
    smtpPort: port,
    imapPort: port,
    endpoint: `http://${host}:${port}`,
    url: `redis://${host}:${port}`,
    connectionString: `postgres://u:p@${host}:${port}/d`,
    tls: false,
    ssl: false,
    secure: false,
  };
  const sample = (name: string, { type = "", enum: values }: Schema) => {
    if (values) return values[0];
    if (/ur[il]$/i.test(name) && !(name in addresses)) return `http://${host}:${port}`;
    return addresses[name] ?? ofType[type] ?? "x@example.com";
  };
  const isGiven = (name: string) => required.includes(name) || name in addresses || /ur[il]$/i.test(name);
  const entries = Object.entries(properties).filter(([name]) => isGiven(name) && name !== "kind");
  return { ...Object.fromEntries(entries.map(([name, property]) => [name, sample(name, property)])), kind };
}

import type { CredentialData } from "./credential.ts";
import { refuseInput } from "./refuse-input.ts";

type Options = {
  /** Names of schemes that mean this kind of server. */
  schemes: readonly string[];
  /** What the scheme, the path and the query say besides. */
  readRest: (url: URL) => CredentialData;
  /** The field that takes the name of the login. */
  userField: "user" | "username";
};

/**
 * Takes a connection string apart that was pasted where the name of the server is asked for: hosting services give nothing else.
 * What it says counts before the fields that say the same, and its password goes where passwords are kept.
 */
export function readConnectionString(given: CredentialData, { schemes, readRest, userField }: Options): CredentialData {
  const text = typeof given.host === "string" ? given.host.trim().replace(/^jdbc:/i, "") : "";
  const scheme = /^([a-z]+)(?:\+\w+)?:\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) return given;
  const url = URL.parse(text);
  // What was pasted is not repeated: it has a password in it.
  if (!url || url.hostname === "" || isTornApart(url))
    throw refuseInput(
      "/data/host",
      "is a connection string that cannot be read; write special characters of its password as %40 and so on",
    );
  const { searchParams: query } = url;
  const said = {
    host: decode(url.hostname).replaceAll(/[[\]]/g, ""),
    port: url.port === "" ? undefined : Number(url.port),
    [userField]: decode(url.username) || query.get("user"),
    password: decode(url.password) || query.get("password"),
    ...readRest(url),
  };
  const known = Object.entries(said).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return { ...given, ...Object.fromEntries(known) };
}

/** A slash, a question mark or a hash in its password ends the name of the server too early: what follows the password is then somewhere else. */
const isTornApart = ({ pathname, searchParams, hash }: URL): boolean =>
  [pathname, hash, ...searchParams.keys()].some((part) => part.includes("@"));

/** The database that the path names. */
export const databaseIn = ({ pathname }: URL): string => decode(pathname.replace(/^\//, ""));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

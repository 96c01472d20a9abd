import { isCidr } from "./address-rules.ts";
import { parseDuration } from "./duration.ts";

// What settings may be: each reads a text or throws an error that says what it must be, and never shows a secret.

export const text = (value: string) => value;

export const flag = (value: string) => oneOf("true", "false")(value) === "true";

export const oneOf =
  <const Choice extends string>(...choices: Choice[]) =>
  (value: string): Choice => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}`);
    return choice;
  };

export const integer = (least: number, most: number) => (value: string) => {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
  return number;
};

export const autoOr =
  <Value>(parse: (value: string) => Value) =>
  (value: string): Value | "auto" => {
    if (value === "auto") return value;
    try {
      return parse(value);
    } catch (error) {
      throw new Error((error as Error).message.replace("must be", "must be auto or"), { cause: error });
    }
  };

export const share = (value: string) => {
  const number = /^(0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw new Error("must be a number from 0 to 1");
  return number;
};

/** `name=value,name=value` with the values percent-encoded. They may be secret, so a mistake does not show them. */
export const pairs = (value: string): Record<string, string> => {
  const entries = value.split(",").filter((entry) => entry.trim() !== "");
  try {
    return Object.fromEntries(entries.map(readPair));
  } catch {
    throw new Error("must be like name=value,name=value");
  }
};

function readPair(entry: string): [string, string] {
  const [, name, value] = /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
  if (name === undefined || value === undefined) throw new Error("no pair");
  return [name, decodeURIComponent(value)];
}

export const duration = (value: string) => {
  const milliseconds = parseDuration(value);
  if (milliseconds === undefined || milliseconds === 0) throw new Error("must be a duration such as 90s, 5m or 1h");
  return milliseconds;
};

export const url = (value: string) => {
  const parsed = URL.parse(value);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new Error("must be an absolute http or https URL");
  if (parsed.username || parsed.password || parsed.search || parsed.hash)
    throw new Error("must have no user, query or fragment");
  return value.replace(/\/+$/, "");
};

export const template = (placeholder: string) => (value: string) => {
  if (!value.includes(placeholder)) throw new Error(`must contain ${placeholder}`);
  url(value.replaceAll(placeholder, "x"));
  return value;
};

export const postgresUrl = (value: string) => {
  if (!/^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? "")) throw new Error("must be a postgres:// URL");
  return value;
};

export const smtpUrl = (value: string) => {
  if (!/^smtps?:$/.test(URL.parse(value)?.protocol ?? "")) throw new Error("must be an smtp:// or smtps:// URL");
  return value;
};

export const cidrs = (value: string) => {
  const entries = value.split(/[\s,]+/).filter((entry) => entry !== "");
  const wrong = entries.find((entry) => !isCidr(entry));
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an address range such as 10.0.0.0/8`);
  return entries;
};

export const key = (value: string) => {
  const bytes = Buffer.from(value, "base64");
  if (!/^[A-Za-z0-9+/]{43}=$/.test(value) || bytes.length !== 32)
    throw new Error("must be 32 random bytes in base64 (openssl rand -base64 32)");
  return bytes;
};

export const keys = (value: string) =>
  value
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(key);

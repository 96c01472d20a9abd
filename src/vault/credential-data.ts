import type { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import { type FieldFault, Refusal } from "../base/refusal.ts";
import type { Credential, CredentialData, Variant } from "../contract/credential.ts";
import { destinationsOf } from "./destination.ts";

/** Stands for a secret that is set. Saving it keeps what is stored. */
export const mask = "••••••••";

export type CredentialType = { definition: Credential; provider: { id: string; title: string } };

/** Checks what somebody typed in for a new credential. */
export function readNewData(
  definition: Credential,
  entered: CredentialData,
): { variant: Variant; data: CredentialData } {
  const variant = chooseVariant(definition, entered.kind);
  const given = readPasted(variant, entered);
  const masked = secretFieldsOf(variant).filter((name) => given[name] === mask);
  if (masked.length > 0) throw invalid(masked.map((name) => ({ pointer: pointerTo(name), detail: "must be entered" })));
  return { variant, data: validate(definition, variant, given) };
}

/**
 * Checks a change. What is not mentioned stays, `null` removes, the mask keeps. Whoever changes the kind, or where secrets are sent,
 * enters the secrets anew: otherwise a stored secret could be sent to a server of one's own.
 */
export function readChangedData(
  definition: Credential,
  stored: CredentialData,
  typed: CredentialData,
): { variant: Variant; data: CredentialData } {
  const storedVariant = chooseVariant(definition, stored.kind);
  if (typed.kind !== undefined && typed.kind !== null && typed.kind !== storedVariant.kind)
    return readNewData(definition, typed);
  const given = readPasted(storedVariant, typed);
  const secrets = secretFieldsOf(storedVariant);
  const entered = Object.entries(given).filter(
    ([name, value]) => value !== null && !(value === mask && secrets.includes(name)),
  );
  const removed = new Set(Object.keys(given).filter((name) => given[name] === null));
  const neverStored = secrets.filter((name) => given[name] === mask && stored[name] === undefined);
  if (neverStored.length > 0)
    throw invalid(neverStored.map((name) => ({ pointer: pointerTo(name), detail: "must be entered" })));
  const kept = Object.entries(stored).filter(([name]) => !removed.has(name));
  const data = validate(definition, storedVariant, { ...Object.fromEntries(kept), ...Object.fromEntries(entered) });
  if (destinationsOf(definition, storedVariant, stored) !== destinationsOf(definition, storedVariant, data)) {
    const names = new Set(entered.map(([name]) => name));
    const reused = secrets.filter((name) => data[name] !== undefined && !names.has(name));
    const detail = "must be entered anew, because where it is sent or what it opens changes";
    if (reused.length > 0) throw invalid(reused.map((name) => ({ pointer: pointerTo(name), detail })));
  }
  return { variant: storedVariant, data };
}

const readPasted = (variant: Variant, entered: CredentialData): CredentialData =>
  variant.readPasted?.(entered) ?? entered;

export function chooseVariant({ type, variants, usualKind }: Credential, kind: unknown): Variant {
  const wanted = kind === undefined ? usualKind : kind;
  const variant = variants.find((candidate) => candidate.kind === wanted);
  if (variant) return variant;
  const kinds = variants.map((candidate) => candidate.kind).join(", ");
  throw invalid(
    [{ pointer: pointerTo("kind"), detail: `must be one of ${kinds}` }],
    `A ${type} credential is one of these kinds: ${kinds}.`,
  );
}

export const secretFieldsOf = ({ fields }: Variant): string[] =>
  Object.keys(fields.shape).filter((name) => isSecret(fields.shape[name]));

/** What may be shown: secrets only as set or not set. */
export function maskData(variant: Variant, data: CredentialData): CredentialData {
  const secrets = new Set(secretFieldsOf(variant));
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, secrets.has(name) ? mask : value]));
}

/** The secret values in the data, also those that were put together for signing in. */
export function secretValuesOf(variant: Variant, data: CredentialData): string[] {
  const values = secretFieldsOf(variant).map((name) => data[name]);
  const basic = /^basic\s+(\S+)$/i.exec(authorizationOf(variant, data));
  return [...values, basic?.[1]].filter((value) => typeof value === "string" && value !== "") as string[];
}

function authorizationOf({ authorize }: Variant, data: CredentialData): string {
  const headers = Object.entries(authorize?.(data).headers ?? {});
  return headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "";
}

function validate(definition: Credential, variant: Variant, given: CredentialData): CredentialData {
  const { kind: _, baseUrl, ...fields } = given;
  const isFurther =
    definition.baseUrl !== null && baseUrl !== undefined && !Object.hasOwn(variant.fields.shape, "baseUrl");
  const result = variant.fields.safeParse(isFurther || baseUrl === undefined ? fields : { ...fields, baseUrl }, {
    error: fieldMessage,
  });
  const faults = [
    ...(result.success ? findMissing(variant, result.data) : result.error.issues.flatMap(toFaults)),
    ...blankSecrets(variant, given),
    ...faultsOfAddresses(given),
  ];
  if (faults.length > 0 || !result.success) throw invalid(faults.filter(isFirstAtItsPlace));
  return {
    ...(definition.variants.length > 1 ? { kind: variant.kind } : {}),
    ...result.data,
    ...(isFurther ? { baseUrl: String(baseUrl).replace(/\/+$/, "") } : {}),
  };
}

/** What a credential lacks that depends on its other fields; secrets may be masked. */
export const findMissing = (variant: Variant, data: CredentialData): FieldFault[] =>
  (variant.findMissing?.(data) ?? []).map(({ field, detail }) => ({ pointer: pointerTo(field), detail }));

// A line that was copied without its text would be saved and fail only at the provider.
const blankSecrets = (variant: Variant, given: CredentialData): FieldFault[] =>
  secretFieldsOf(variant)
    .filter((name) => typeof given[name] === "string" && given[name].trim() === "")
    .map((name) => ({ pointer: pointerTo(name), detail: "must not be empty" }));

const isFirstAtItsPlace = ({ pointer }: FieldFault, index: number, faults: FieldFault[]): boolean =>
  faults.findIndex((other) => other.pointer === pointer) === index;

function toFaults(issue: z.core.$ZodIssue): FieldFault[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      pointer: pointerTo(...issue.path, key),
      detail: "is not a field of this credential",
    }));
  return [{ pointer: pointerTo(...issue.path), detail: issue.message }];
}

function faultsOfAddresses(given: CredentialData): FieldFault[] {
  return ["baseUrl", "authorizeUrl", "tokenUrl"].flatMap((name) => {
    const detail = given[name] === undefined ? undefined : faultOfAddress(given[name], name === "authorizeUrl");
    return detail === undefined ? [] : [{ pointer: pointerTo(name), detail }];
  });
}

function faultOfAddress(given: unknown, mayHaveQuery: boolean): string | undefined {
  const url = typeof given === "string" && given.length <= 2000 ? URL.parse(given) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return "must be an http or https address";
  if (url.username || url.password || url.hash || (url.search && !mayHaveQuery))
    return "must have no user, query or fragment";
  return undefined;
}

function isSecret(schema: unknown): boolean {
  const field = schema as { meta?: () => { secret?: boolean } | undefined; unwrap?: () => unknown };
  return field.meta?.()?.secret === true || (typeof field.unwrap === "function" && isSecret(field.unwrap()));
}

const pointerTo = (...path: PropertyKey[]): string =>
  `/data${path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`;

function invalid(errors: FieldFault[], message?: string): Refusal {
  const [first] = errors;
  return new Refusal(
    "validation_failed",
    message ?? `${first?.pointer.slice(1) ?? "data"} ${first?.detail ?? "is not valid"}.`,
    {
      errors,
    },
  );
}

import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { labelOf } from "../../node-form/field-shape.ts";
import type { FieldFault } from "../../problem.ts";

export type Variant = CredentialTypeEntry["variants"][number];
export type Values = Record<string, unknown>;
export type FieldSchema = Record<string, unknown>;
type ObjectSchema = { properties: Record<string, FieldSchema>; required: string[] };

/** The fields of a way in: those everybody fills in, and those that only self-hosted services need. */
export function fieldsOf(
  type: CredentialTypeEntry,
  variant: Variant,
): { main: FieldSchema; advanced: FieldSchema | null } {
  const { properties, required } = readSchema(variant.schema);
  const isShown = (name: string) => !variant.isOAuth2 || !(grantedNames.has(name) || name === scopesName);
  const shown = Object.entries(properties).filter(([name]) => isShown(name));
  const isAdvanced = ([name]: [string, FieldSchema]) => variant.isOAuth2 && addressNames.has(name);
  const further: [string, FieldSchema][] =
    type.takesBaseUrl && !("baseUrl" in properties) ? [["baseUrl", baseUrlSchema(type)]] : [];
  const advanced = [...shown.filter(isAdvanced), ...further];
  return {
    main: objectOf(
      shown.filter((entry) => !isAdvanced(entry)),
      required,
    ),
    advanced: advanced.length > 0 ? objectOf(advanced, required) : null,
  };
}

/** The same for a credential that exists: a secret that is set is never shown, and stays when nothing is typed in. */
export function keepSecrets(schema: FieldSchema, stored: Values): FieldSchema {
  const { properties, required } = readSchema(schema);
  const isKept = (name: string) => isSecret(properties[name]) && stored[name] !== undefined;
  const entries = Object.entries(properties).map(([name, field]): [string, FieldSchema] => [
    name,
    isKept(name) ? { ...field, description: "Set. Leave it empty to keep it." } : field,
  ]);
  return objectOf(
    entries,
    required.filter((name) => !isKept(name)),
  );
}

/** Secrets that are set and could do without: the only ones that can be taken away. */
export function removableSecrets(variant: Variant, stored: Values): { name: string; label: string }[] {
  const { properties, required } = readSchema(variant.schema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const isOwn = isSecret(field) && stored[name] !== undefined && !(variant.isOAuth2 && grantedNames.has(name));
    return isOwn && !required.includes(name) ? [{ name, label: labelOf(field, name) }] : [];
  });
}

/** What of the stored data may stand in the form. */
export function visibleValues(variant: Variant, stored: Values): Values {
  const { properties } = readSchema(variant.schema);
  const isGranted = (name: string) => variant.isOAuth2 && grantedNames.has(name);
  return Object.fromEntries(
    Object.entries(stored).filter(([name]) => name !== "kind" && !isGranted(name) && !isSecret(properties[name])),
  );
}

/** What has to be sent for a change: new values, and null for what was emptied. */
export function changeOf(variant: Variant, stored: Values, values: Values): Values {
  const { properties } = readSchema(variant.schema);
  const entered = filledValues(values);
  const isOwn = (name: string) => name !== "kind" && !(variant.isOAuth2 && grantedNames.has(name));
  const changed = Object.keys(entered).filter((name) => isOwn(name) && entered[name] !== stored[name]);
  const emptied = Object.keys(stored).filter(
    (name) => isOwn(name) && entered[name] === undefined && !isSecret(properties[name]),
  );
  const isOtherConnection = variant.isOAuth2 && [...changed, ...emptied].some((name) => connectionNames.has(name));
  return {
    ...Object.fromEntries(changed.map((name) => [name, entered[name]])),
    ...Object.fromEntries(emptied.map((name) => [name, null])),
    ...(isOtherConnection ? noGrant : {}),
  };
}

/** Without what was left empty, which the server would take for a wrong value. */
export function filledValues(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
}

/** The server speaks of `/data/name`, the form of `/name`. */
export function faultsOfData(faults: FieldFault[]): FieldFault[] {
  return faults.flatMap(({ pointer, detail }) =>
    pointer.startsWith("/data/") ? [{ pointer: pointer.slice("/data".length), detail }] : [],
  );
}

export const isSecret = (field: FieldSchema | undefined): boolean => field?.writeOnly === true;

/** Has a field of its own, which knows what each is for. */
export const scopesName = "furtherScopes";

/** What the provider gives when it is connected. */
const grantedNames = new Set(["accessToken", "refreshToken", "expiresAt", "cloudId", "grantedScopes"]);
const addressNames = new Set(["authorizeUrl", "tokenUrl"]);
/** A grant belongs to the client and the address it was given by. */
const connectionNames = new Set([
  ...["clientId", "authorizeUrl", "tokenUrl", "baseUrl", "tenant", "site"],
  ...["smtpHost", "smtpPort", "imapHost", "imapPort"],
]);
const noGrant = { accessToken: null, refreshToken: null, expiresAt: null, grantedScopes: null };

const baseUrlSchema = (type: CredentialTypeEntry): FieldSchema => ({
  type: "string",
  format: "uri",
  title: "Base URL",
  description: `Only when ${type.title} answers at an address of your own.`,
});

export function readSchema(schema: FieldSchema): ObjectSchema {
  return {
    properties: (schema.properties ?? {}) as ObjectSchema["properties"],
    required: (schema.required ?? []) as string[],
  };
}

const objectOf = (entries: [string, FieldSchema][], required: string[]): FieldSchema => ({
  type: "object",
  properties: Object.fromEntries(entries),
  required: required.filter((name) => entries.some(([entry]) => entry === name)),
  additionalProperties: false,
});

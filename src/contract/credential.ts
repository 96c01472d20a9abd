import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { ActionCall } from "./call.ts";
import { type ReadFault, type ReadRefusal, readCommonFault } from "./fault.ts";
import type { Authorization } from "./http.ts";

export type CredentialData = Record<string, unknown>;

/** One way to prove who one is: an API key, a login, an OAuth connection. */
export type Variant = {
  kind: string;
  title: string;
  fields: z.ZodObject;
  authorize?: (data: CredentialData) => Authorization;
  /** What was entered, with what a field was given for several, such as a connection string, put where it belongs. */
  readPasted?: (given: CredentialData) => CredentialData;
  /** What is missing that depends on the other fields. Asked when it is saved and before every use, because rules may come later than data. */
  findMissing?: FindMissing;
  oauth2?: OAuth2;
  /** Gets a token with what was typed in, where that is no token itself. Tools get the token, and not what it was got with. */
  mintToken?: (
    data: CredentialData,
    /** The signal is aborted once no call waits for the token any more. */
    outside: { fetch: SafeFetch; clock: Clock; signal: AbortSignal },
  ) => Promise<{ accessToken: string; expiresInSeconds: number }>;
};

/** A secret may be masked in the data: only whether it is there counts. */
type FindMissing = (data: CredentialData) => { field: string; detail: string }[];

export type OAuth2 = {
  /** May contain {name} of a field, e.g. {tenant}. */
  authorizeUrl: string;
  tokenUrl: string;
  /** What is asked for: what the tools need. */
  scopes: string[];
  /** What scopes are for, in the provider's own words: those above, and others that people may add to an account. */
  knownScopes: Record<string, string>;
  scopeSeparator: string;
  authorizeParams: Record<string, string>;
  clientAuth: "body" | "basic";
  tokenBody: "form" | "json";
  tokenHeaders: Record<string, string>;
  pkce: boolean;
  /** Whose client of the installation it connects with, where a type has several providers: the name in OAUTH_CLIENT_<NAME>_ID. */
  clientName?: string;
  /** What people must know at the provider before they connect. */
  advice?: string;
  /** Reads further fields with the fresh token, e.g. which site it belongs to. */
  complete?: (call: CredentialCall) => Promise<CredentialData>;
};

/** What a credential's own functions are called with. */
export type CredentialCall = Pick<
  ActionCall<never, CredentialData>,
  "http" | "fetch" | "signal" | "credential" | "reauthorize" | "resolveHost" | "clock"
>;

/** A value that an account offers for a field. */
export type Choice = { value: string; title?: string | undefined };

/** What a list of choices is loaded with. */
export type ChoicesCall = CredentialCall & {
  /** What the fields say that it needs. */
  given: Record<string, string>;
  /** What somebody looks for; empty where the list does not search. */
  search: string;
  /** More are not read. */
  most: number;
};

/** What an account offers for a field. It only reads. */
export type ChoiceList = {
  /** Other fields of the form that it depends on: the tables of a base need to know the base. */
  needs: readonly string[];
  /** Whether the service itself looks for a text. Otherwise all are loaded, and looked through here. */
  searches: boolean;
  load: (call: ChoicesCall) => Promise<Choice[]>;
};

export type Credential<Data = CredentialData> = {
  type: string;
  title: string;
  /** Where the provider answers, for credentials used over HTTP; a credential may carry its own `baseUrl`. */
  baseUrl: string | ((data: CredentialData) => string) | null;
  /** Further origins of the provider that take the same secret, such as the one that files are got from. */
  origins: readonly string[];
  /** Sent with every request. */
  headers: Record<string, string>;
  variants: Variant[];
  /** What data without a `kind` is, where a type had one kind at first; null where several must be told apart. */
  usualKind: string | null;
  /** Finds the provider's own code and words in a failed answer. */
  readFault: ReadFault;
  readRefusal: ReadRefusal | null;
  /** A cheap call that fails when the credential does not work; null when there is none. */
  check: ((call: CredentialCall) => Promise<void>) | null;
  /** Lists of what an account offers, by the name that a field of a tool gives as `choices` in its meta. */
  choices: Record<string, ChoiceList>;
  /** The shape of the data, for the type system only. */
  readonly data?: Data;
};

type CredentialDescriptor<Variants extends Record<string, VariantDescriptor>> = {
  type: string;
  title: string;
  baseUrl: Credential["baseUrl"];
  origins?: readonly string[];
  headers?: Record<string, string>;
  variants: Variants;
  usualKind?: Extract<keyof Variants, string>;
  readFault?: ReadFault;
  readRefusal?: ReadRefusal;
  check: Credential["check"];
  choices?: Record<string, Pick<ChoiceList, "load"> & Partial<ChoiceList>>;
};

type VariantDescriptor = Omit<Variant, "kind">;

type DataOfVariants<Variants extends Record<string, VariantDescriptor>> = {
  [Kind in keyof Variants]: z.output<Variants[Kind]["fields"]>;
}[keyof Variants];

export function defineCredential<Variants extends Record<string, VariantDescriptor>>({
  headers = {},
  origins = [],
  readFault = readCommonFault,
  readRefusal,
  choices = {},
  usualKind,
  variants,
  ...rest
}: CredentialDescriptor<Variants>): Credential<DataOfVariants<Variants>> {
  const named = Object.entries(variants).map(([kind, variant]) => ({ kind, ...variant }));
  const [only, ...others] = named;
  const unnamed = usualKind ?? (only && others.length === 0 ? only.kind : null);
  return {
    ...rest,
    origins,
    headers,
    readFault,
    readRefusal: readRefusal ?? null,
    choices: Object.fromEntries(
      Object.entries(choices).map(([name, list]) => [name, { needs: [], searches: false, ...list }]),
    ),
    variants: named,
    usualKind: unnamed,
  };
}

/** A variant whose fields the user types in. `authorize` turns them into headers, a query or a path prefix. */
export function withFields<Shape extends z.ZodRawShape>(
  title: string,
  shape: Shape,
  authorize?: (data: z.output<z.ZodObject<Shape>>) => Authorization,
  findMissing?: FindMissing,
) {
  const fields = z.strictObject(shape);
  return {
    title,
    fields: fields as unknown as z.ZodObject<Shape>,
    ...(authorize ? { authorize: authorize as Variant["authorize"] } : {}),
    ...(findMissing ? { findMissing } : {}),
  } as {
    title: string;
    fields: z.ZodObject<Shape>;
    authorize?: (data: CredentialData) => Authorization;
    findMissing?: FindMissing;
  };
}

/** A text that is never shown again, in no answer, log or record. */
export const secret = (description?: string) =>
  z
    .string()
    .min(1)
    .max(10_000)
    .meta({ secret: true, format: "password", ...(description ? { description } : {}) });

type OAuth2Options<Shape extends z.ZodRawShape> = Pick<OAuth2, "authorizeUrl" | "tokenUrl" | "scopes"> &
  Partial<
    Pick<
      OAuth2,
      | "knownScopes"
      | "scopeSeparator"
      | "authorizeParams"
      | "clientAuth"
      | "tokenBody"
      | "tokenHeaders"
      | "pkce"
      | "clientName"
      | "advice"
      | "complete"
    >
  > & {
    /** Said where a type can be connected at several providers. */
    title?: string;
    fields?: Shape;
  };

const oauth2Fields = {
  clientId: z.string().min(1).optional().meta({ title: "Client ID" }),
  clientSecret: secret().optional(),
  authorizeUrl: z.url().optional().meta({ title: "Authorize URL" }),
  tokenUrl: z.url().optional().meta({ title: "Token URL" }),
  furtherScopes: z
    .string()
    .max(4000)
    .optional()
    .describe("Scopes to ask for beside the usual ones, separated by spaces. They count when it is connected again."),
  grantedScopes: z.string().max(10_000).optional().describe("What the provider said it grants."),
  accessToken: secret().optional(),
  refreshToken: secret().optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
};

/** A variant that is connected with a click; what is typed in is the client, the tokens come from the provider. */
export function withOAuth2<Shape extends z.ZodRawShape = Record<never, never>>(options: OAuth2Options<Shape>) {
  const { fields, title = "OAuth 2", ...oauth2 } = options;
  return {
    title,
    fields: z.strictObject({ ...oauth2Fields, ...fields }) as unknown as z.ZodObject<typeof oauth2Fields & Shape>,
    authorize: (data: CredentialData): Authorization => ({
      headers: { authorization: `Bearer ${String(data.accessToken)}` },
    }),
    oauth2: {
      knownScopes: {},
      scopeSeparator: " ",
      authorizeParams: {},
      clientAuth: "body",
      tokenBody: "form",
      tokenHeaders: {},
      pkce: false,
      ...oauth2,
    } satisfies OAuth2,
  };
}

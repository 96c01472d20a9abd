import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { type CredentialData, defineCredential, secret, withFields } from "../../contract/credential.ts";

const fields = {
  baseUrl: z
    .url()
    .optional()
    .describe(
      "Origin the credential may be used with; requests elsewhere are refused. Needed whenever there is a secret.",
    )
    .meta({ title: "Base URL" }),
  authKind: z
    .enum(["none", "basic", "bearer", "header", "query"])
    .describe("How the secret is sent.")
    .meta({ title: "Authentication" }),
  username: z
    .string()
    .optional()
    .describe("For basic authentication.")
    .meta({ shownWith: { authKind: ["basic"] } }),
  secret: secret("Password, token or value.")
    .optional()
    .meta({ shownWith: { authKind: ["basic", "bearer", "header", "query"] } }),
  name: z
    .string()
    .min(1)
    .optional()
    .describe("Header or query name.")
    .meta({ shownWith: { authKind: ["header", "query"] } }),
};

type Fields = z.output<z.ZodObject<typeof fields>>;

export const httpCredential = defineCredential({
  type: "http_auth",
  title: "HTTP",
  baseUrl: null,
  variants: { custom: withFields("Custom", fields, authorize, findMissing) },
  check: null,
});

function authorize({ authKind, username = "", secret: value = "", name }: Fields) {
  switch (authKind) {
    case "none":
      return {};
    case "basic":
      return { headers: { authorization: `Basic ${Buffer.from(`${username}:${value}`).toString("base64")}` } };
    case "bearer":
      return { headers: { authorization: `Bearer ${value}` } };
    case "header":
      return { headers: { [nameOf(name)]: value } };
    case "query":
      return { query: { [nameOf(name)]: value } };
  }
}

// A user name alone is enough for basic authentication: many services take a key there and no password.
const neededBy: Record<Fields["authKind"], string[]> = {
  none: [],
  basic: ["username"],
  bearer: ["secret"],
  header: ["name", "secret"],
  query: ["name", "secret"],
};

function findMissing(data: CredentialData): { field: string; detail: string }[] {
  const authKind = data.authKind as Fields["authKind"];
  const isMissing = (field: string) => String(data[field] ?? "").trim() === "";
  const missing = neededBy[authKind].filter(isMissing).map((field) => ({ field, detail: "is required" }));
  const sendsSecret = authKind !== "none" || !isMissing("secret");
  if (!sendsSecret || !isMissing("baseUrl")) return missing;
  return [{ field: "baseUrl", detail: "is required, because its secret is sent nowhere else" }, ...missing];
}

function nameOf(name: string | undefined): string {
  if (name === undefined)
    throw new Refusal(
      "validation_failed",
      "The credential does not say in which header or query value its secret is sent.",
    );
  return name;
}

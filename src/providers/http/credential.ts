import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";

const fields = {
  baseUrl: z
    .url()
    .optional()
    .describe("Origin the credential may be used with; requests elsewhere are refused.")
    .meta({ title: "Base URL" }),
  authKind: z.enum(["none", "basic", "bearer", "header", "query"]).describe("How the secret is sent.").meta({ title: "Authentication" }),
  username: z.string().optional().describe("For basic authentication."),
  secret: secret("Password, token or value.").optional(),
  name: z.string().min(1).optional().describe("Header or query name."),
};

type Fields = z.output<z.ZodObject<typeof fields>>;

export const httpCredential = defineCredential({
  type: "http_auth",
  title: "HTTP",
  baseUrl: null,
  variants: { custom: withFields("Custom", fields, authorize) },
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

function nameOf(name: string | undefined): string {
  if (name === undefined)
    throw new Refusal("validation_failed", "The credential does not say in which header or query value its secret is sent.");
  return name;
}

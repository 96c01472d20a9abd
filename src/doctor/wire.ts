import { z } from "zod";

// The shapes of the connection doctor: where MCP clients connect, and what was found when one tried.

export const serverAddress = z
  .object({ id: z.string(), title: z.string(), url: z.string() })
  .meta({ id: "ServerAddress" });
export const serverAddressList = z.object({
  data: z.array(serverAddress),
  commandLine: z
    .string()
    .describe("What people who have this installation type before the name of an operator command."),
});
export type ServerAddress = z.infer<typeof serverAddress>;

export const examination = z.object({
  url: z.string().min(1).max(500).describe("The address of one of this installation's MCP servers."),
  organizationId: z
    .uuid()
    .optional()
    .describe(
      "Also approves in your name, for this organization, so that a token is made and used. The connection is ended at once.",
    ),
});

/** In the order in which a client goes. */
export const stepIds = [
  "reach",
  "challenge",
  "resource",
  "issuer",
  "registration",
  "consent",
  "token",
  "bearer",
  "cors",
  "exchange",
  "tools",
  "account",
] as const;
export type StepId = (typeof stepIds)[number];

export const faults = [
  "unreachable",
  "tls",
  "foreign_address",
  "redirected",
  "proxy_error",
  "host_refused",
  "path_lost",
  "rate_limited",
  "not_json",
  "wrong_status",
  "header_missing",
  "credentials_added",
  "http_behind_https",
  "resource_mismatch",
  "issuer_mismatch",
  "document_wrong",
  "cookie_missing",
  "key_refused",
  "token_refused",
] as const;
export type Fault = (typeof faults)[number];

const step = z.object({
  id: z.enum(stepIds),
  title: z.string(),
  outcome: z.enum(["ok", "warning", "broken", "skipped"]).describe("A warning does not keep a client from connecting."),
  expected: z.string(),
  seen: z.string().describe("What was answered, or why nothing was asked."),
  fault: z.enum(faults).nullable(),
  fix: z.string().nullable(),
});
export type Step = z.infer<typeof step>;

export const report = z
  .object({
    url: z.string(),
    healthy: z.boolean(),
    brokenStep: z.enum(stepIds).nullable().describe("The first hop that is broken: mend this one first."),
    steps: z.array(step),
  })
  .meta({ id: "DoctorReport" });
export type Report = z.infer<typeof report>;

import { z } from "zod";
import { role } from "../identity/wire.ts";
import { credentialSummary } from "../vault/wire.ts";

// The shapes the platform API speaks about MCP clients that connect with OAuth. The web UI imports only this file.

export const oauthScopes = ["mcp:invoke", "platform:read", "platform:write"] as const;
export const oauthScope = z.enum(oauthScopes).meta({ id: "OAuthScope" });
export type OAuthScope = z.infer<typeof oauthScope>;

const id = z.uuid();
const instant = z.iso.datetime();

const consentScope = z.object({
  name: oauthScope,
  description: z.string().describe("What the client could do with it, as a sentence."),
});
const consentServer = z.object({
  id: z.string(),
  title: z.string(),
  scopes: z
    .array(consentScope)
    .describe("What the client may be granted here: what it asked for, as far as this server knows it."),
  credentialType: z.string().nullable().describe("Of the account its tools need; null when they need none."),
});

const consentAccount = z.object({
  ...credentialSummary.pick({ id: true, name: true, type: true, health: true }).shape,
  isDefault: z.boolean().describe("Calls that name no account use it, unless another one is chosen here."),
});
export type ConsentAccount = z.infer<typeof consentAccount>;
export type ConsentServer = z.infer<typeof consentServer>;

export const consentRequest = z
  .object({
    client: z.object({
      name: z.string().describe("What the client calls itself. Text from a stranger: nothing in it is checked."),
      host: z
        .string()
        .nullable()
        .describe("The host that vouches for the client with a document of its own; null when none does."),
      redirectHost: z
        .string()
        .describe(
          "Where the browser goes with the answer: a host with its port, or an application's own scheme such as cursor:.",
        ),
      isLoopback: z
        .boolean()
        .describe("The answer goes to a program on the user's own computer, and any program there could have asked."),
      isSelfRegistered: z.boolean().describe("The client registered itself under a name nobody checked."),
    }),
    server: consentServer
      .nullable()
      .describe("The server the client asks for; null when it named none and the user picks from `servers`."),
    servers: z.array(consentServer).describe("What to pick from when `server` is null; empty otherwise."),
    scopes: z.array(consentScope).describe("Those of `server`; empty when it is null."),
    organizations: z.array(
      z.object({
        id,
        name: z.string(),
        role,
        accounts: z.array(consentAccount).describe("What calls on these servers could use."),
      }),
    ),
    user: z.object({ name: z.string(), email: z.string() }),
    expiresAt: instant,
  })
  .meta({ id: "ConsentRequest" });
export type ConsentRequest = z.infer<typeof consentRequest>;

export const consentDecision = z.object({
  approve: z.boolean(),
  organizationId: id.optional().describe("Needed to approve: the organization the connection acts on."),
  scopes: z
    .array(oauthScope)
    .min(1)
    .max(oauthScopes.length)
    .optional()
    .describe("A part of what was asked for. Left out: all of it."),
  serverId: z.string().min(1).max(64).optional().describe("Needed to approve when the client named no server."),
  credentialId: id
    .optional()
    .describe(
      "The account that the client's calls use when they name none. Left out: the organization's default at the time of a call.",
    ),
});
export type ConsentDecision = z.infer<typeof consentDecision>;

export const consentAnswer = z.object({
  redirectTo: z
    .string()
    .describe("Where the browser must go next, within a minute: the gateway takes the decision there, once."),
});
export type ConsentAnswer = z.infer<typeof consentAnswer>;

export const connection = z
  .object({
    id,
    clientName: z.string(),
    clientHost: z.string().nullable(),
    serverId: z.string(),
    scopes: z.array(oauthScope),
    credentialId: id
      .nullable()
      .describe("What its calls use when they name no account; null: the organization's default."),
    user: z.object({ id, name: z.string(), email: z.string() }).describe("Who approved it, and for whom it acts."),
    createdAt: instant,
    expiresAt: instant.describe("When the client has to ask again, however often it is used."),
    lastUsedAt: instant.nullable(),
  })
  .meta({ id: "Connection" });
export const connectionList = z.object({ data: z.array(connection) });
export type Connection = z.infer<typeof connection>;

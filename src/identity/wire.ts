import { z } from "zod";

// The shapes the platform API speaks about people, organizations and keys. The web UI imports only this file.

export const roles = ["owner", "admin", "member", "viewer"] as const;
export const role = z.enum(roles).meta({ id: "Role" });
export type Role = z.infer<typeof role>;

export const apiKeyScopes = ["workflows:trigger", "mcp:invoke"] as const;
export const apiKeyScope = z.enum(apiKeyScopes).meta({ id: "ApiKeyScope" });
export type ApiKeyScope = z.infer<typeof apiKeyScope>;

// Names stand in mails, whose text they could continue with lines of their own.
const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "must be one line of text");
const email = z.string().trim().toLowerCase().max(254).pipe(z.email());
export const passwordLength = { least: 8, most: 128 };
const password = z.string().min(passwordLength.least).max(passwordLength.most);
const instant = z.iso.datetime();
const id = z.uuid();

export const setupState = z.object({
  needed: z.boolean(),
  setupTokenRequired: z.boolean().describe("The one-time token printed on the server's console must be sent along."),
});
export type SetupState = z.infer<typeof setupState>;

export const setupRequest = z.object({
  name: name.optional(),
  email,
  password,
  organizationName: name,
  setupToken: z.string().max(200).optional(),
});
export type SetupRequest = z.input<typeof setupRequest>;
export const setupResult = z.object({ userId: id, organizationId: id });

export const signInRequest = z.object({ email, password: z.string().min(1).max(passwordLength.most) });
export const signUpRequest = z.object({ name, email, password, organizationName: name });
export const passwordChange = z.object({
  currentPassword: z.string().min(1).max(passwordLength.most),
  newPassword: password,
});
export const passwordResetRequest = z.object({ email });
export const passwordResetConfirm = z.object({ token: z.string().min(1).max(200), newPassword: password });
export const profileChange = z.object({ name });

export const me = z
  .object({
    user: z.object({ id, name: z.string(), email: z.string(), createdAt: instant }),
    sessionId: id,
    organizations: z.array(z.object({ id, name: z.string(), role })),
    mayCreateOrganizations: z.boolean(),
  })
  .meta({ id: "Me" });
export type Me = z.infer<typeof me>;

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(200),
  cursor: z.string().max(100).optional().describe("`nextCursor` of the page before."),
});
const nextCursor = z.string().nullable().describe("For the next page; null when there is none.");

export const sessionEntry = z.object({
  id,
  current: z.boolean(),
  createdAt: instant,
  expiresAt: instant,
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
});
export const sessionList = z.object({ data: z.array(sessionEntry) });
export type SessionEntry = z.infer<typeof sessionEntry>;

export const organizationRequest = z.object({ name });
export const organization = z.object({ id, name: z.string(), role, createdAt: instant }).meta({ id: "Organization" });
export type Organization = z.infer<typeof organization>;

export const member = z
  .object({ id, userId: id, name: z.string(), email: z.string(), role, createdAt: instant })
  .meta({ id: "Member" });
export const memberList = z.object({ data: z.array(member).describe("The oldest first."), nextCursor });
export const memberChange = z.object({ role });
export type Member = z.infer<typeof member>;

export const invitationRequest = z.object({ email, role });
export const invitation = z
  .object({ id, email: z.string(), role, createdAt: instant, expiresAt: instant })
  .meta({ id: "Invitation" });
export const invitationList = z.object({ data: z.array(invitation).describe("The oldest first."), nextCursor });
export const createdInvitation = invitation.extend({
  link: z.string().describe("Open it to accept. Shown here once; it is also mailed when mail is configured."),
});
export const invitationView = z.object({
  organizationName: z.string(),
  email: z.string(),
  role,
  expiresAt: instant,
  accountExists: z.boolean(),
});
export const invitationToken = z.object({ token: z.string().min(1).max(200) });
export const invitationSignUp = invitationToken.extend({ name, password });
export type InvitationView = z.infer<typeof invitationView>;
export type CreatedInvitation = z.infer<typeof createdInvitation>;

export const toolRules = z
  .array(
    z
      .string()
      .max(64)
      .regex(
        /^\**[a-z0-9_][a-z0-9_*]*$/,
        "must be a server or tool, * standing for any characters, not for everything",
      ),
  )
  .min(1)
  .max(100);
const keyToolRules = toolRules
  .nullable()
  .describe("The servers and tools the key may call, such as github, slack_send_* or *_search_*. Null: all of them.");

export const apiKeyRequest = z.object({
  name,
  scopes: z.array(apiKeyScope).min(1).max(apiKeyScopes.length),
  expiresAt: instant.optional(),
  toolRules: keyToolRules.optional(),
});
export const apiKeyChange = z
  .object({ name: name.optional(), toolRules: keyToolRules.optional() })
  .refine((change) => change.name !== undefined || change.toolRules !== undefined, "needs a name or toolRules");
export type ApiKeyChange = z.infer<typeof apiKeyChange>;
export const apiKey = z
  .object({
    id,
    name: z.string(),
    hint: z.string().describe("The prefix and the last four characters."),
    scopes: z.array(apiKeyScope),
    toolRules: keyToolRules,
    createdBy: id.nullable().describe("A user; null for the command line, or when the account is gone."),
    createdAt: instant,
    regeneratedAt: instant.nullable(),
    expiresAt: instant.nullable(),
    lastUsedAt: instant.nullable(),
  })
  .meta({ id: "ApiKey" });
export const apiKeyList = z.object({ data: z.array(apiKey).describe("Newest first."), nextCursor });
export const apiKeyWithText = apiKey.extend({ key: z.string().describe("The key itself. Shown this once.") });
export type ApiKey = z.infer<typeof apiKey>;
export type ApiKeyWithText = z.infer<typeof apiKeyWithText>;

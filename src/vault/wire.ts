import { z } from "zod";

// The shapes the platform API speaks about connected accounts.

const id = z.uuid();
const instant = z.iso.datetime();
const name = z.string().trim().min(1).max(100);
const type = z.string().min(1).max(100);
const data = z.record(z.string().max(100), z.unknown());

export const health = z
  .enum(["unknown", "ok", "expiring", "failing", "needs_reconnect"])
  .meta({ id: "CredentialHealth" });
export type Health = z.infer<typeof health>;

export const credentialSummary = z
  .object({
    id,
    reference: z.string().describe("What tools and workflows name it by."),
    name: z.string(),
    type: z.string(),
    health,
    isComplete: z.boolean().describe("False: it lacks what it cannot be used without, and its health is `failing`."),
  })
  .meta({ id: "CredentialSummary" });
export type CredentialSummary = z.infer<typeof credentialSummary>;
export const credentialQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(200),
  cursor: z.string().max(100).optional().describe("`nextCursor` of the page before."),
});
export const credentialList = z.object({
  data: z.array(credentialSummary).describe("Newest first."),
  nextCursor: z.string().nullable(),
});

export const credential = credentialSummary
  .extend({
    kind: z.string(),
    data: data.describe("The fields. A secret that is set is shown as ••••••••; saving that keeps it."),
    createdAt: instant,
    updatedAt: instant,
    tokenExpiresAt: instant.nullable(),
    lastOkAt: instant.nullable(),
    lastError: z.string().nullable(),
    lastErrorAt: instant.nullable(),
    refreshFailure: z
      .object({
        since: instant,
        reason: z.string(),
        nextTryAt: instant.describe("The first call from then on tries again; those before are refused."),
      })
      .nullable()
      .describe(
        "Set while its token cannot be refreshed. A refresh that works, connecting it again or changing its data clears it.",
      ),
  })
  .meta({ id: "Credential" });
export type Credential = z.infer<typeof credential>;

const makeDefault = z
  .boolean()
  .optional()
  .describe("Use it for calls that name no account of its type, in place of the organization's default so far.");

export const credentialRequest = z.object({ type, name, data, makeDefault });
export const credentialChange = z
  .object({
    name: name.optional(),
    data: data.optional().describe("What is not mentioned stays; null removes a field."),
  })
  .refine((change) => change.name !== undefined || change.data !== undefined, "needs a name or data");
export type CredentialChange = z.infer<typeof credentialChange>;

export const credentialDeletion = z.object({
  force: z.enum(["true", "false"]).default("false").describe("Delete it although workflows use it."),
});

export const credentialUses = z
  .object({
    workflows: z.array(
      z.object({
        id,
        name: z.string(),
        nodes: z.array(
          z.object({
            id: z.string().describe("On the canvas."),
            name: z.string().nullable(),
            nodeId: z.string().describe("Its type."),
          }),
        ),
      }),
    ),
    triggers: z
      .array(z.object({ id, name: z.string() }))
      .describe("Whose deliveries it checks, or whose runs it is given to."),
    webhooks: z
      .array(
        z.object({
          provider: z.string(),
          providerTitle: z.string(),
          place: z.string().nullable(),
          triggerName: z.string(),
        }),
      )
      .describe("Set up with it at their providers: without it only you can remove them there."),
    defaults: z.array(
      z.object({
        type: z.string(),
        apiKeyId: id.nullable().describe("Null: for the organization."),
        apiKeyName: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "CredentialUses" });
export type CredentialUses = z.infer<typeof credentialUses>;

export const connectRequest = z.object({
  type,
  name,
  data: data.optional().describe("The client and further fields; no tokens."),
  makeDefault,
});
export const connectStart = z.object({
  credentialId: id,
  authorizeUrl: z.string().describe("Send the browser there."),
});

export const connectAnswer = z.object({
  state: z.string().max(200),
  code: z.string().max(4000).optional(),
  error: z.string().max(200).optional(),
});

export const defaultCredentialOwner = z.object({
  apiKeyId: id.optional().describe("For this key only, before the organization's own default."),
});
export const defaultCredentialRequest = defaultCredentialOwner.extend({ credentialId: id });
export const defaultCredential = z
  .object({
    type: z.string(),
    credentialId: id,
    reference: z.string(),
    apiKeyId: id.nullable().describe("Null: for the organization."),
  })
  .meta({ id: "DefaultCredential" });
export const defaultCredentialList = z.object({ data: z.array(defaultCredential) });
export type DefaultCredential = z.infer<typeof defaultCredential>;

export const testResult = z.object({
  ok: z.boolean(),
  isChecked: z
    .boolean()
    .describe(
      "False: nothing could be learned, for example because the account may not be asked for what the test asks.",
    ),
  message: z.string(),
  health,
});
export type TestResult = z.infer<typeof testResult>;

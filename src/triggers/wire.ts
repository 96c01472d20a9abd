import { z } from "zod";
import { nodeOverride } from "../workflows/wire.ts";

// The shapes the platform API speaks about what starts workflows by itself.

const id = z.uuid();
const instant = z.iso.datetime();
const name = z.string().trim().min(1).max(100);
const cron = z.string().max(200).describe("Five fields: minute, hour, day of month, month, day of week.");
const timeZone = z.string().max(100).describe("IANA time zone, for example Europe/Berlin.");
const prompt = z
  .string()
  .max(100_000)
  .describe("`$trigger.prompt` of its runs. Empty, a webhook passes on what the message says.");
const overrides = z.array(nodeOverride).max(500).describe("What its runs have otherwise than the canvas.");

/** Whose deliveries are known in more than their signature: what is special about them, and what the page says about setting them up. */
export const deliveringProviders = ["slack", "discord", "telegram", "whatsapp", "github", "stripe"] as const;
export type DeliveringProvider = (typeof deliveringProviders)[number];

export const webhookMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type WebhookMethod = (typeof webhookMethods)[number];
const methods = z
  .array(z.enum(webhookMethods))
  .min(1)
  .max(20)
  .describe("Methods that a webhook without a provider takes; POST alone unless given.");

const answerWithinSeconds = z
  .int()
  .min(1)
  .max(30)
  .nullable()
  .describe("How long a delivery waits for what the run answers; then, or at once with null, it gets 202.");

const takesBots = z
  .boolean()
  .describe("Whether events of bots, of the connected account and receipts start runs; with a provider.");

const events = z
  .array(z.string().trim().min(1).max(100))
  .max(50)
  .describe("Events of a provider that start runs, such as issues.opened or charge.*; none: all of them.");
const places = z
  .array(z.string().trim().min(1).max(200))
  .max(50)
  .describe("Where they have to happen: ids of channels or chats, or repositories as owner/name; none: anywhere.");
const filter = z
  .string()
  .max(10_000)
  .describe("An expression about `$trigger` that must give true for a run to start; empty: each starts one.");

export const triggerKind = z.enum(["schedule", "webhook", "poll"]).meta({ id: "TriggerKind" });
export type TriggerKind = z.infer<typeof triggerKind>;

const pollEvent = z
  .string()
  .min(1)
  .max(64)
  .describe("What it looks for, such as new_email: an `id` of GET /api/polls.");
const pollParameters = z
  .record(z.string(), z.unknown())
  .describe("Where it looks, as the `parametersSchema` of the event says.");
const everySeconds = z
  .int()
  .min(1)
  .max(86_400)
  .nullable()
  .describe("The longest pause between two looks; null: what is usual for the event.");
const takesExisting = z.boolean().describe("Whether what is there at the first look starts runs too.");

export const poll = z
  .object({
    event: pollEvent,
    parameters: pollParameters,
    everySeconds,
    takesExisting,
    lastPolledAt: instant.nullable().describe("When the service answered last."),
    nextPollAt: instant.nullable().describe("When it is asked next, of a trigger that is on."),
    faultyItems: z
      .object({
        waiting: z.int().describe("Those that are kept back and tried again by themselves."),
        givenUp: z.int().describe("Those that are not tried again unless you ask for it."),
        lastFault: z.string().nullable().describe("What was wrong with the last one."),
      })
      .describe("Items that could not be read, or that the filter failed on."),
  })
  .meta({ id: "TriggerPoll" });

export const triggerSummary = z.object({
  id,
  workflowId: id,
  workflowName: z.string(),
  kind: triggerKind,
  active: z.boolean().describe("An inactive trigger starts nothing."),
  cron: z.string().nullable().describe("Of a schedule."),
  timeZone: z.string().nullable(),
  nextRunAt: instant.nullable(),
  lastRunAt: instant.nullable(),
  createdAt: instant,
});
export type TriggerSummary = z.infer<typeof triggerSummary>;

export const trigger = triggerSummary
  .extend({
    name: z.string(),
    prompt: z.string(),
    overrides: z.array(nodeOverride),
    nextFireTimes: z.array(instant).describe("The next five, of a schedule that is on; in a list only the next."),
    provider: z
      .string()
      .nullable()
      .describe("Whose deliveries a webhook takes, null: anybody's; or what a poll looks at."),
    credentialId: id
      .nullable()
      .describe("Holds the secret that the provider signs with, or is the account that a poll looks with."),
    signature: z.enum(["none", "standard", "provider"]).nullable().describe("How deliveries of a webhook are checked."),
    methods: z.array(z.enum(webhookMethods)).nullable().describe("Methods that a webhook takes."),
    answerWithinSeconds,
    takesBots,
    events,
    places,
    filter,
    lastError: z.string().nullable().describe("Why the last tick, delivery or look started nothing."),
    isRegistered: z.boolean().describe("Whether this server told the provider where to deliver to."),
    stoppedReason: z
      .string()
      .nullable()
      .describe("Why it was turned off by itself; null once somebody turns it on or off."),
    poll: poll.nullable().describe("Of a trigger that looks at a service again and again."),
    updatedAt: instant,
  })
  .meta({ id: "Trigger" });
export type Trigger = z.infer<typeof trigger>;

export const triggerList = z.object({ data: z.array(trigger), nextCursor: id.nullable() });
export type TriggerList = z.infer<typeof triggerList>;

export const triggerQuery = z.object({
  workflowId: id.optional(),
  failing: z
    .enum(["true", "false"])
    .optional()
    .describe("Whether it is on and its last tick, delivery or look failed, or it was turned off by itself."),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: id.optional().describe("`nextCursor` of the page before."),
});
export type TriggerQuery = z.infer<typeof triggerQuery>;

export const triggerWithSecrets = trigger
  .extend({
    webhookUrl: z.string().nullable().describe("Where a webhook is delivered to. Shown only now."),
    signingSecret: z.string().nullable().describe("What Standard Webhooks are signed with. Shown only now."),
  })
  .meta({ id: "TriggerWithSecrets" });
export type TriggerWithSecrets = z.infer<typeof triggerWithSecrets>;

export const triggerRequest = z.object({
  workflowId: id,
  kind: triggerKind,
  name,
  active: z.boolean().default(true),
  prompt: prompt.default(""),
  overrides: overrides.default([]),
  cron: cron.optional(),
  timeZone: timeZone.optional(),
  provider: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Whose signed deliveries a webhook takes, anybody's without it; or what a poll looks at."),
  credentialId: id
    .optional()
    .describe("Needed with a provider: holds its signing secret, or is the account that a poll looks with."),
  signature: z
    .enum(["none", "standard"])
    .optional()
    .describe("Needed without a provider. `standard`: Standard Webhooks; `none`: whoever knows the address."),
  methods: methods.optional(),
  answerWithinSeconds: answerWithinSeconds.optional(),
  takesBots: takesBots.optional(),
  events: events.optional(),
  places: places.optional(),
  filter: filter.optional(),
  register: z
    .boolean()
    .optional()
    .describe(
      "Tells the provider where to deliver to, with the credential: those with `canRegister` of GET /api/webhook-providers. `places` names the one place where that says `needsPlace`.",
    ),
  poll: z
    .strictObject({
      event: pollEvent,
      parameters: pollParameters,
      everySeconds: everySeconds.optional(),
      takesExisting: takesExisting.default(false),
    })
    .optional()
    .describe("Needed of a poll."),
});
export type TriggerRequest = z.infer<typeof triggerRequest>;

export const triggerChange = z
  .object({
    name: name.optional(),
    active: z.boolean().optional(),
    prompt: prompt.optional(),
    overrides: overrides.optional(),
    cron: cron.optional(),
    timeZone: timeZone.optional(),
    credentialId: id
      .nullable()
      .optional()
      .describe("null takes the account of a poll away, where its event works without one."),
    methods: methods.optional(),
    answerWithinSeconds: answerWithinSeconds.optional(),
    takesBots: takesBots.optional(),
    events: events.optional(),
    places: places.optional(),
    filter: filter.optional(),
    register: z.literal(true).optional().describe("Tells the provider where to deliver to, or tells it anew."),
    poll: z
      .strictObject({
        event: pollEvent.optional(),
        parameters: pollParameters.optional(),
        everySeconds: everySeconds.optional(),
        takesExisting: takesExisting.optional(),
      })
      .optional()
      .describe("What is not named stays. Another event, place or account begins anew with a first look."),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), "needs something to change");
export type TriggerChange = z.infer<typeof triggerChange>;

export const deletedTrigger = z.object({
  notRemoved: z.string().describe("Why the provider still delivers, and to nobody."),
});
export type DeletedTrigger = z.infer<typeof deletedTrigger>;

export const webhookRemovalQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: id.optional(),
});
export type WebhookRemovalQuery = z.infer<typeof webhookRemovalQuery>;

export const webhookRemoval = z
  .object({
    id,
    triggerId: id.describe("The trigger that it delivered to; it may be deleted."),
    triggerName: z.string(),
    workflowName: z.string(),
    provider: z.string(),
    place: z.string().nullable().describe("Where it was set up, for example a repository; null for the whole account."),
    credentialId: id.describe("The account that it was set up with, and is removed with."),
    reason: z.string().nullable().describe("Why the last try failed."),
    tries: z.number().int(),
    since: instant,
    nextTryAt: instant.nullable().describe("Null once it is given up: remove it at the provider."),
  })
  .meta({ id: "WebhookRemoval" });
export type WebhookRemoval = z.infer<typeof webhookRemoval>;

export const webhookRemovalList = z.object({ data: z.array(webhookRemoval), nextCursor: id.nullable() });
export type WebhookRemovalList = z.infer<typeof webhookRemovalList>;

export const schedulePreviewRequest = z.object({ cron, timeZone });
export const schedulePreview = z.object({ nextFireTimes: z.array(instant) });

export const pollSampleRequest = z.strictObject({
  provider: z.string().min(1).max(64),
  event: pollEvent,
  parameters: pollParameters,
  credentialId: id.optional().describe("Not needed for an event that works without an account."),
});
export type PollSampleRequest = z.infer<typeof pollSampleRequest>;

export const pollSamples = z
  .object({
    items: z
      .array(z.object({ id: z.string(), payload: z.unknown().describe("`$trigger.payload` of its run.") }))
      .describe("The newest, at most three, newest first."),
    truncated: z.boolean().describe("Whether long texts and lists in them, or the last of them, are left out."),
  })
  .meta({ id: "PollSamples" });
export type PollSamples = z.infer<typeof pollSamples>;

export const triggerTrial = z
  .strictObject({
    payload: z
      .unknown()
      .optional()
      .describe(
        "What is delivered; otherwise an empty object, of a schedule the moment, of a poll the newest item of the service.",
      ),
    prompt: z.string().max(100_000).optional().describe("`$trigger.prompt` of this run instead of the trigger's own."),
  })
  .nullish();
export type TriggerTrial = NonNullable<z.infer<typeof triggerTrial>>;

import fc from "fast-check";
import { onlyOneOf, type ProviderArguments, repeat } from "./argument-set.ts";

const snowflake = fc.bigInt({ min: 10n ** 17n, max: 10n ** 19n }).map(String);
const phone = fc.stringMatching(/^\+[1-9][0-9]{7,14}$/);
const digits = fc.stringMatching(/^[1-9][0-9]{7,14}$/);
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });
const seconds = fc.oneof(
  fc.integer({ min: 1_600_000_000, max: 1_900_000_000 }).map(String),
  fc.constantFrom("1712345678.123456", "0", " 1712345678 ", "1712345678.", "-1", "1e9", "Infinity", "2026-01-01"),
);
const embed = fc.record(
  {
    title: fc.string({ unit: "grapheme", maxLength: 100 }),
    description: text,
    url: fc.webUrl(),
    color: fc.integer({ min: 0, max: 0xffffff }),
    fields: fc.array(fc.record({ name: text, value: text, inline: fc.boolean() }), { maxLength: 3 }),
    footer: fc.record({ text }),
  },
  { requiredKeys: ["description"] },
);
const block = fc.oneof(
  fc.record({ type: fc.constant("section"), text: fc.record({ type: fc.constant("mrkdwn"), text }) }),
  fc.constant({ type: "divider" }),
);
const component = fc.record({
  type: fc.constant("body"),
  parameters: fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 3 }),
});
const serviceSid = `MG${"0a".repeat(16)}`;

export const messagingArguments: Record<string, ProviderArguments> = {
  slack: {
    credentials: [
      { kind: "bearer", accessToken: "xoxb-1-2-abc", signingSecret: "s" },
      { kind: "oauth2", accessToken: "xoxe.xoxb-1" },
    ],
    tools: {
      slack_send_message: {
        minimal: { channel: "C012AB3CD", text: "hello" },
        // People by name or email have operations of their own, which the description leaves out.
        isUndescribed: ({ channel }) => String(channel).includes("@"),
        full: {
          channel: "U012AB3CD",
          text: "hello *there*",
          threadTs: "1712345678.123456",
          blocks: [{ type: "section", text: { type: "mrkdwn", text: "x" } }],
        },
        others: [{ channel: "#general", text: "hi", blocks: [] }],
        hints: { blocks: fc.array(block, { maxLength: 5 }), threadTs: seconds },
      },
      slack_list_channels: {
        minimal: {},
        full: { types: "public_channel,private_channel,mpim,im", excludeArchived: false, limit: 1000 },
        hints: { types: fc.constantFrom("im", "mpim,im", "public_channel") },
        page: (items, next) => ({
          ok: true,
          channels: repeat(items, (index) => ({ id: `C${index}` })),
          response_metadata: { next_cursor: next ?? "" },
        }),
      },
      slack_get_channel_history: {
        minimal: { channel: "C012AB3CD" },
        // Threads and names have operations of their own, which the description leaves out.
        isUndescribed: ({ threadTs, includeNames }) => Boolean(threadTs) || includeNames === true,
        full: { channel: "C012AB3CD", oldest: "1712345678.123456", latest: "1812345678", limit: 200 },
        others: [
          { channel: "C1", oldest: "yesterday" },
          { channel: "C1", oldest: "" },
        ],
        hints: { oldest: seconds, latest: seconds },
        page: (items, next) => ({
          ok: true,
          messages: repeat(items, (index) => ({ ts: String(index) })),
          response_metadata: next === undefined ? undefined : { next_cursor: next },
        }),
      },
    },
  },
  discord: {
    credentials: [{ botToken: "MTA.abc.def", applicationPublicKey: "00ff" }],
    tools: {
      discord_send_message: {
        minimal: { channelId: "1234567890123456789", content: "hello" },
        full: {
          channelId: "1234567890123456789",
          content: "hello @everyone",
          embeds: [{ title: "T", description: "D", color: 1, fields: [{ name: "n", value: "v", inline: true }] }],
          replyToMessageId: "1234567890123456788",
        },
        others: [
          { channelId: "1234567890123456789", embeds: [{ description: "only" }] },
          { channelId: "1234567890123456789", embeds: [{ titel: "misspelt" }] },
          { channelId: "0123", content: "x" },
          { channelId: " 1234567890123456789", content: "x" },
        ],
        isUndescribed: ({ interactionToken }) => interactionToken !== undefined,
        hints: {
          channelId: snowflake,
          replyToMessageId: snowflake,
          applicationId: snowflake,
          embeds: fc.array(embed, { maxLength: 10 }),
        },
        passedOn: ["embeds"],
      },
    },
  },
  telegram: {
    credentials: [{ botToken: "123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp_-9" }],
    tools: {
      telegram_send_message: {
        minimal: { chatId: "-1001234567890", text: "hello" },
        full: {
          chatId: "@channel",
          text: "<b>hello</b>",
          parseMode: "HTML",
          replyToMessageId: 7,
          disableNotification: true,
        },
      },
      telegram_send_photo: {
        minimal: { chatId: "1", photoUrl: "https://example.com/a.jpg" },
        full: { chatId: "@channel", photoBase64: "/9j/4AAQSkZJRg==", caption: "*ä*", parseMode: "MarkdownV2" },
        others: [
          { chatId: "123", photoBase64: "/9j/4AAQ\nSkZJRg==", caption: "true" },
          { chatId: "12", photoBase64: "not base64!" },
        ],
        hints: { photoUrl: fc.webUrl(), photoBase64: fc.base64String({ minLength: 4 }) },
        arrange: onlyOneOf("photoUrl", "photoBase64"),
      },
    },
  },
  twilio: {
    credentials: [{ accountSid: `AC${"0aF9".repeat(8)}`, authToken: "to:ken" }],
    tools: {
      twilio_send_sms: {
        minimal: { to: "+4915112345678", from: "+15005550006", body: "hello" },
        full: {
          to: "+4915112345678",
          messagingServiceSid: serviceSid,
          body: "hello",
          mediaUrls: ["https://example.com/a.jpg", "https://example.com/b.jpg?x=1&y=ä"],
        },
        others: [
          { to: "whatsapp:+4915112345678", from: "whatsapp:+15005550006", body: "x" },
          { to: "+49", from: "ACME", body: "x", mediaUrls: [] },
          { to: "+49", from: "ACME", body: "x", mediaUrls: ["ftp://example.com/x"] },
          { to: "+49", from: "ACME", body: "x", mediaUrls: ["https://u:p@[::1]:8/a|b?#x#y", "HTTP://EXAMPLE.com?"] },
          { to: "+49", messagingServiceSid: "MG1", body: "x" },
        ],
        hints: {
          to: phone,
          from: phone,
          messagingServiceSid: fc.constant(serviceSid),
          mediaUrls: fc.array(fc.webUrl({ withQueryParameters: true }), { maxLength: 3 }),
        },
        arrange: onlyOneOf("from", "messagingServiceSid"),
      },
    },
  },
  whatsapp: {
    credentials: [{ accessToken: "EAAx", phoneNumberId: "106540352242922", appSecret: "s", verifyToken: "v" }],
    tools: {
      whatsapp_send_text_message: {
        minimal: { to: "4915112345678", text: "hello" },
        full: { to: "+49 151 12345678", text: "https://example.com", previewUrl: true, replyToMessageId: "wamid.HBg=" },
        hints: { to: digits },
      },
      whatsapp_send_template_message: {
        minimal: { to: "4915112345678", templateName: "hello_world", languageCode: "en_US" },
        full: { to: "4915112345678", templateName: "order", languageCode: "de", bodyParameters: ["Ann", "12,50 €"] },
        others: [
          {
            to: "4915112345678",
            templateName: "order",
            languageCode: "de",
            components: [
              { type: "header", parameters: [{ type: "image", image: { link: "https://example.com/a.png" } }] },
              { type: "body", parameters: [{ type: "text", text: "Ann" }] },
              {
                type: "button",
                sub_type: "quick_reply",
                index: "1",
                parameters: [{ type: "payload", payload: "yes" }],
              },
            ],
          },
          { to: "4915112345678", templateName: "order", languageCode: "de", components: [] },
          { to: "4915112345678", templateName: "order", languageCode: "de", components: [{}] },
        ],
        hints: { to: digits, components: fc.array(component, { maxLength: 2 }) },
        passedOn: ["components"],
        arrange: onlyOneOf("bodyParameters", "components"),
      },
    },
  },
  microsoft_outlook: {
    credentials: [{ accessToken: "eyJ0.x.y", tenant: "common", refreshToken: "r" }],
    tools: {
      microsoft_outlook_send_email: {
        minimal: { to: ["a@example.com"], subject: "Hello", body: "text" },
        // Answers have an operation of their own, which the description leaves out.
        isUndescribed: ({ replyToMessageId }) => Boolean(replyToMessageId),
        full: {
          to: ["a@example.com", "b@example.com"],
          subject: "Grüße",
          body: "<p>x</p>",
          bodyType: "html",
          cc: ["c@example.com"],
          bcc: ["d@example.com"],
          saveToSentItems: false,
        },
        others: [{ to: [], subject: "", body: "" }],
      },
      microsoft_outlook_search_emails: {
        minimal: {},
        isUndescribed: ({ includeAttachments }) => includeAttachments === true,
        full: { query: 'subject:"a b" \\ c', limit: 100 },
        others: [
          { filter: "isRead eq false and from/emailAddress/address eq 'a@example.com'" },
          { query: "", filter: "" },
        ],
        arrange: onlyOneOf("query", "filter"),
        page: (items, next) => ({
          value: repeat(items, (index) => ({ id: `m${index}` })),
          "@odata.nextLink":
            next &&
            `https://graph.microsoft.com/v1.0/me/messages?$top=10&$skip=10&$select=id,subject&$search="${next}"`,
        }),
      },
    },
  },
};

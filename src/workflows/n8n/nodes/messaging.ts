import type { Mapper } from "../mapped.ts";
import type { Reader } from "../reader.ts";
import { app, fixed, limit, text, texts } from "./app.ts";

const sendMessage = { resource: "message", operation: ["post", "send", "sendMessage"] };

const slack = app({
  title: "Slack",
  usual: { resource: "message", operation: "post" },
  rules: [
    {
      when: sendMessage,
      to: "slack_send_message",
      fields: {
        channel: text("channelId", "channel", "user"),
        text: "text",
        threadTs: text("otherOptions.thread_ts.replyValues.thread_ts"),
      },
    },
    {
      when: { resource: "channel", operation: ["getAll", "list"] },
      to: "slack_list_channels",
      fields: { limit: limit(1000) },
    },
    {
      when: { resource: "channel", operation: "history" },
      to: "slack_get_channel_history",
      fields: { channel: text("channelId", "channel"), limit: limit(200) },
    },
  ],
});

const telegram = app({
  title: "Telegram",
  usual: { resource: "message", operation: "sendMessage" },
  rules: [
    {
      when: sendMessage,
      to: "telegram_send_message",
      fields: { chatId: text("chatId"), text: "text", parseMode: (read) => parseMode(read) },
    },
    {
      when: { resource: "message", operation: "sendPhoto" },
      to: "telegram_send_photo",
      fields: { chatId: text("chatId"), photoUrl: "file", caption: "additionalFields.caption" },
    },
  ],
});

function parseMode(read: Reader): unknown {
  const mode = read.raw("additionalFields.parse_mode");
  if (mode === "Markdown") read.remark("The old Markdown of Telegram is not sent: the text is plain.");
  return mode === "HTML" || mode === "MarkdownV2" ? mode : undefined;
}

const discord = app({
  title: "Discord",
  usual: { resource: "message", operation: "send" },
  rules: [
    {
      when: sendMessage,
      to: "discord_send_message",
      fields: { channelId: text("channelId"), content: ["content", "text"] },
    },
  ],
});

const bodyOf = (kind: "html" | "text") => (read: Reader) => {
  const isHtml = (read.raw("emailType") ?? read.raw("emailFormat") ?? "html") !== "text";
  const body = read.value("message");
  return isHtml === (kind === "html") ? body : undefined;
};

const gmail = app({
  title: "Gmail",
  usual: { resource: "message", operation: "send" },
  rules: [
    {
      when: { resource: "message", operation: "send" },
      to: "gmail_send_email",
      fields: {
        to: texts("sendTo"),
        subject: "subject",
        html: bodyOf("html"),
        text: bodyOf("text"),
        cc: texts("options.ccList"),
        bcc: texts("options.bccList"),
        replyTo: "options.replyTo",
      },
    },
    {
      when: { resource: "message", operation: "getAll" },
      to: "gmail_search_emails",
      fields: {
        query: "filters.q",
        labelIds: "filters.labelIds",
        limit: limit(50),
        includeBody: (read) => read.raw("simple") === false,
      },
    },
    {
      when: { resource: "message", operation: "addLabels" },
      to: "gmail_modify_labels",
      fields: { messageId: "messageId", addLabelIds: "labelIds" },
    },
    {
      when: { resource: "message", operation: "removeLabels" },
      to: "gmail_modify_labels",
      fields: { messageId: "messageId", removeLabelIds: "labelIds" },
    },
    {
      when: { resource: "message", operation: "markAsRead" },
      to: "gmail_modify_labels",
      fields: { messageId: "messageId", removeLabelIds: fixed(["UNREAD"]) },
    },
  ],
});

const outlook = app({
  title: "Outlook",
  usual: { resource: "message", operation: "send" },
  rules: [
    {
      when: { resource: "message", operation: "send" },
      to: "microsoft_outlook_send_email",
      fields: {
        to: texts("toRecipients"),
        subject: "subject",
        body: "bodyContent",
        bodyType: (read) => (read.raw("additionalFields.bodyContentType") === "html" ? "html" : "text"),
      },
    },
    {
      when: { resource: "message", operation: "getAll" },
      to: "microsoft_outlook_search_emails",
      fields: { query: "filtersUI.values.search", limit: limit(100) },
    },
  ],
});

const email = app({
  title: "Email",
  usual: { operation: "send" },
  rules: [
    {
      when: { operation: "send" },
      to: "email_send",
      fields: {
        to: texts("toEmail"),
        subject: "subject",
        text: "text",
        html: "html",
        cc: texts("options.ccEmail"),
        bcc: texts("options.bccEmail"),
      },
      remark: "It is sent from the address of the account.",
    },
  ],
});

const twilio = app({
  title: "Twilio",
  usual: { resource: "sms", operation: "send" },
  rules: [
    {
      when: { resource: "sms", operation: "send" },
      to: "twilio_send_sms",
      fields: { to: text("to"), from: text("from"), body: "message" },
    },
  ],
});

const whatsApp = app({
  title: "WhatsApp",
  usual: { resource: "message", operation: "send", messageType: "text" },
  rules: [
    {
      when: { resource: "message", operation: "send", messageType: "text" },
      to: "whatsapp_send_text_message",
      fields: { to: text("recipientPhoneNumber"), text: "textBody" },
    },
  ],
});

export const messagingNodes: Record<string, Mapper> = {
  slack,
  telegram,
  discord,
  gmail,
  microsoftOutlook: outlook,
  emailSend: email,
  twilio,
  whatsApp,
};

import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { telegramCredential } from "./credential.ts";
import { action as sendMessage } from "./send_message.ts";
import { action as sendPhoto } from "./send_photo.ts";
import { telegramWebhook } from "./webhook.ts";

const credential = { botToken: "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw" };
const place = "/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const failure = {
  answer: { status: 400, json: { ok: false, error_code: 400, description: "Bad Request: chat not found" } },
  says: /^Telegram refused the call \(400\): Bad Request: chat not found\.$/,
};

const buttons = [
  { text: "Open", url: "https://example.com" },
  { text: "Yes", callbackData: "yes", row: 2 },
  { text: "No", callbackData: "no", row: 2 },
];
const reply_markup = {
  inline_keyboard: [
    [{ text: "Open", url: "https://example.com" }],
    [
      { text: "Yes", callback_data: "yes" },
      { text: "No", callback_data: "no" },
    ],
  ],
};

describeHttpTool(sendMessage, {
  credential,
  failure,
  cases: [
    {
      name: "sends a message",
      input: { chatId: "@news", text: "Hello" },
      exchanges: [
        {
          request: { method: "POST", path: `${place}/sendMessage`, json: { chat_id: "@news", text: "Hello" } },
          answer: {
            json: { ok: true, result: { message_id: 5, chat: { id: -1_001_234_567_890 }, date: 1_767_225_600 } },
          },
        },
      ],
      items: [{ messageId: 5, chatId: "-1001234567890", date: "2026-01-01T00:00:00.000Z" }],
    },
    {
      name: "sends to a topic, with buttons and without a preview",
      input: { chatId: "-100", text: "https://example.com", messageThreadId: 42, buttons, disablePreview: true },
      exchanges: [
        {
          request: {
            method: "POST",
            path: `${place}/sendMessage`,
            json: {
              chat_id: "-100",
              text: "https://example.com",
              message_thread_id: 42,
              link_preview_options: { is_disabled: true },
              reply_markup,
            },
          },
          answer: { json: { ok: true, result: { message_id: 6 } } },
        },
      ],
      items: [{ messageId: 6 }],
    },
    {
      name: "sends everything that is given",
      input: {
        chatId: "-100",
        text: '<b>ü</b> "\n/?#',
        parseMode: "HTML",
        replyToMessageId: 4,
        disableNotification: true,
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: `${place}/sendMessage`,
            json: {
              chat_id: "-100",
              text: '<b>ü</b> "\n/?#',
              parse_mode: "HTML",
              reply_parameters: { message_id: 4 },
              disable_notification: true,
            },
          },
          answer: { json: { ok: true, result: { message_id: 6, date: 9e15 } } },
        },
      ],
      items: [{ messageId: 6 }],
    },
  ],
});

describeHttpTool(sendPhoto, {
  credential,
  failure,
  cases: [
    {
      name: "sends a photo that is on the web",
      input: { chatId: "1", photoUrl: "https://example.com/a b.png?x=1#y" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: `${place}/sendPhoto`,
            json: { chat_id: "1", photo: "https://example.com/a b.png?x=1#y" },
          },
          answer: {
            json: {
              ok: true,
              result: { message_id: 7, chat: { id: 1 }, photo: [{ file_id: "small" }, { file_id: "large" }] },
            },
          },
        },
      ],
      items: [{ messageId: 7, chatId: "1", fileId: "large" }],
    },
    {
      name: "sends a photo to a topic as a reply, with buttons",
      input: { chatId: "1", photoUrl: "https://example.com/a.png", messageThreadId: 42, replyToMessageId: 4, buttons },
      exchanges: [
        {
          request: {
            method: "POST",
            path: `${place}/sendPhoto`,
            json: {
              chat_id: "1",
              photo: "https://example.com/a.png",
              message_thread_id: 42,
              reply_parameters: { message_id: 4 },
              reply_markup,
            },
          },
          answer: { json: { ok: true, result: { message_id: 7 } } },
        },
      ],
      items: [{ messageId: 7 }],
    },
    {
      name: "uploads a photo with buttons, which a form has as JSON",
      input: { chatId: "1", photoBase64: "aGk=", messageThreadId: 42, buttons },
      exchanges: [
        {
          request: {
            method: "POST",
            path: `${place}/sendPhoto`,
            body: expect.stringMatching(
              /name="message_thread_id"\r\n\r\n42\r\n[\s\S]*name="reply_markup"\r\n\r\n\{"inline_keyboard":\[\[\{"text":"Open"/,
            ),
          },
          answer: { json: { ok: true, result: { message_id: 8 } } },
        },
      ],
      items: [{ messageId: 8 }],
    },
    {
      name: "uploads a photo with its caption",
      input: {
        chatId: "1",
        photoBase64: Buffer.from("not really a photo").toString("base64"),
        caption: 'ü "x"\n',
        parseMode: "MarkdownV2",
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: `${place}/sendPhoto`,
            headers: { "content-type": expect.stringMatching(/^multipart\/form-data; boundary=/) },
            body: expect.stringMatching(
              /name="chat_id"\r\n\r\n1\r\n[\s\S]*name="caption"\r\n\r\nü "x"\r?\n\r\n[\s\S]*name="parse_mode"\r\n\r\nMarkdownV2\r\n[\s\S]*name="photo"; filename="photo.jpg"\r\n[\s\S]*\r\n\r\nnot really a photo\r\n/,
            ),
          },
          answer: { json: { ok: true, result: { message_id: 8 } } },
        },
      ],
      items: [{ messageId: 8 }],
    },
  ],
});

it("uploads every byte of a photo as it is", async () => {
  const provider = await startFakeProvider();
  try {
    provider.script([{ json: { ok: true, result: { message_id: 1 } } }]);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const photoBase64 = bytes.toString("base64").replace(/(.{76})/g, "$1\n");
    await callTool(sendPhoto, {
      input: { chatId: "1", photoBase64 },
      credential: { ...credential, baseUrl: provider.url },
    });
    expect(provider.requests()[0]?.body.includes(bytes)).toBe(true);
  } finally {
    await provider.stop();
  }
});

it.each([{}, { photoUrl: "https://example.com/a.png", photoBase64: "aGk=" }])(
  "refuses a call with not exactly one photo: %j",
  async (photo) => {
    const outcome = callTool(sendPhoto, { input: { chatId: "1", ...photo }, credential });
    await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/photoUrl" }] });
  },
);

it("comes back when Telegram says, which it says in its answer", async () => {
  const provider = await startFakeProvider();
  const waits: number[] = [];
  const json = {
    ok: false,
    error_code: 429,
    description: "Too Many Requests: retry after 7",
    parameters: { retry_after: 7 },
  };
  provider.script([{ status: 429, json }, { json: { ok: true, result: { message_id: 5, chat: { id: 1 }, date: 1 } } }]);
  const data = { ...credential, baseUrl: provider.url };
  const sent = await callTool(sendMessage, { input: { chatId: 1, text: "x" }, credential: data, waits });
  expect([sent[0]?.messageId, waits]).toEqual([5, [7000]]);
  await provider.stop();
});

it("names the new id of a group that became a supergroup", () => {
  const description = "Bad Request: group chat was upgraded to a supergroup chat";
  const body = { ok: false, error_code: 400, description, parameters: { migrate_to_chat_id: -1001234567890 } };
  expect(telegramCredential.readFault(body, new Response("", { status: 400 }))).toMatchObject({
    message: description,
    advice: "The chat has the id -1001234567890 now",
  });
});

it("refuses a photo that is not base64", async () => {
  const outcome = callTool(sendPhoto, { input: { chatId: "1", photoBase64: "no photo!" }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/photoBase64" }] });
});

describe("the Telegram credential", () => {
  it("is checked", async () => {
    expect(await useCredential(telegramCredential, credential, [{ json: { ok: true, result: {} } }])).toMatchObject([
      { method: "GET", path: `${place}/getMe` },
    ]);
  });

  it("does not pass a check that is refused, and the refusal does not show the token", async () => {
    const answer = { status: 401, json: { ok: false, error_code: 401, description: "Unauthorized" } };
    await expect(useCredential(telegramCredential, credential, [answer])).rejects.toThrow(
      /^Telegram refused the call \(401\): Unauthorized\.$/,
    );
    const isUnreachable = useCredential(telegramCredential, credential, [
      { drop: true },
      { drop: true },
      { drop: true },
    ]);
    await expect(isUnreachable).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("AAHdq") }),
    );
  });

  it("does not pass a check that is refused with status 200", async () => {
    const answer = { json: { ok: false, error_code: 404, description: "Not Found" } };
    await expect(useCredential(telegramCredential, credential, [answer])).rejects.toThrow(
      "Telegram refused the call (404): Not Found",
    );
  });

  it("keeps a token that is none in its place", async () => {
    const [request] = await useCredential(telegramCredential, { botToken: "1:a/../b?c#d" }, [
      { json: { ok: true, result: {} } },
    ]);
    expect(request?.path).toBe("/bot1:a%2F..%2Fb%3Fc%23d/getMe");
  });
});

it("believes only updates with the secret token", () => {
  const request = (headers: Record<string, string>, body = '{"update_id":10000,"message":{"text":"hi"}}') => ({
    method: "POST",
    url: "https://switchyard.example/webhooks/x",
    query: {},
    headers,
    body: Buffer.from(body),
  });
  const options = { secret: "s3cret", now: new Date() };
  const right = { "x-telegram-bot-api-secret-token": "s3cret" };
  expect(telegramWebhook.verify(request(right), options)).toEqual({
    accepted: true,
    event: "message",
    deliveryId: "10000",
  });
  expect(telegramWebhook.verify(request(right, "nonsense"), options)).toEqual({
    accepted: true,
    event: null,
    deliveryId: null,
  });
  expect(telegramWebhook.verify(request({ "x-telegram-bot-api-secret-token": "s3cre" }), options)).toMatchObject({
    accepted: false,
  });
  expect(telegramWebhook.verify(request({}), options)).toMatchObject({ accepted: false });
  expect(telegramWebhook.verify(request({}), { ...options, secret: "" })).toMatchObject({ accepted: false });
});

it.each([{ text: "x" }, { text: "x", url: "https://example.com", callbackData: "y" }])(
  "refuses the button %j",
  async (button) => {
    const input = { chatId: "1", text: "Hi", buttons: [{ text: "a", url: "https://example.com" }, button] };
    await expect(callTool(sendMessage, { input, credential })).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/buttons/1" }],
    });
  },
);

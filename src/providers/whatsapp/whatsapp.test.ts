import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { hmacHex } from "../../contract/signature.ts";
import { whatsappCredential } from "./credential.ts";
import { action as sendTemplateMessage } from "./send_template_message.ts";
import { action as sendTextMessage } from "./send_text_message.ts";
import { whatsappWebhook } from "./webhook.ts";

const credential = { accessToken: "EAA-secret", phoneNumberId: "106540352242922" };
const headers = { authorization: "Bearer EAA-secret" };
const place = "/v23.0/106540352242922/messages";
const always = { messaging_product: "whatsapp", recipient_type: "individual" };
const failure = {
  answer: {
    status: 400,
    json: {
      error: {
        message: "(#131030) Recipient not allowed",
        type: "OAuthException",
        code: 131030,
        error_data: { details: "Add the number to the list." },
      },
    },
  },
  says: /^WhatsApp refused the call \(400 131030\): \(#131030\) Recipient not allowed: Add the number to the list\.$/,
};

describeHttpTool(sendTextMessage, {
  credential,
  failure,
  cases: [
    {
      name: "sends a text",
      input: { to: "4915112345678", text: "Hello" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            headers,
            json: { ...always, to: "4915112345678", type: "text", text: { body: "Hello", preview_url: false } },
          },
          answer: {
            json: { contacts: [{ input: "4915112345678", wa_id: "4915112345678" }], messages: [{ id: "wamid.1" }] },
          },
        },
      ],
      items: [{ messageId: "wamid.1", to: "4915112345678", waId: "4915112345678" }],
    },
    {
      name: "writes to somebody who is known by a user id only",
      input: { to: "US.13491208655302741918", text: "Hello" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            json: {
              ...always,
              recipient: "US.13491208655302741918",
              type: "text",
              text: { body: "Hello", preview_url: false },
            },
          },
          answer: {
            json: {
              contacts: [{ input: "US.13491208655302741918", user_id: "US.13491208655302741918" }],
              messages: [{ id: "wamid.3" }],
            },
          },
        },
      ],
      items: [{ messageId: "wamid.3", to: "US.13491208655302741918", userId: "US.13491208655302741918" }],
    },
    {
      name: "sends everything that is given",
      input: { to: "+49 151", text: 'ü "x"\n/?#', previewUrl: true, replyToMessageId: "wamid.0" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            json: {
              ...always,
              to: "+49 151",
              type: "text",
              text: { body: 'ü "x"\n/?#', preview_url: true },
              context: { message_id: "wamid.0" },
            },
          },
          answer: { json: { messages: [{ id: "wamid.2" }] } },
        },
      ],
      items: [{ messageId: "wamid.2" }],
    },
  ],
});

const template = { name: "order", language: { policy: "deterministic", code: "en_US" } };

describeHttpTool(sendTemplateMessage, {
  credential,
  failure,
  cases: [
    {
      name: "sends a template",
      input: { to: "49151", templateName: "order", languageCode: "en_US" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            headers,
            json: { ...always, to: "49151", type: "template", template },
          },
          answer: {
            json: {
              contacts: [{ input: "49151", wa_id: "49151" }],
              messages: [{ id: "wamid.3", message_status: "accepted" }],
            },
          },
        },
      ],
      items: [{ messageId: "wamid.3", to: "49151", status: "accepted" }],
    },
    {
      name: "fills in the values of the body",
      input: { to: "49151", templateName: "order", languageCode: "en_US", bodyParameters: ["Ann", 'ü "x"'] },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            json: {
              ...always,
              to: "49151",
              type: "template",
              template: {
                ...template,
                components: [
                  {
                    type: "body",
                    parameters: [
                      { type: "text", text: "Ann" },
                      { type: "text", text: 'ü "x"' },
                    ],
                  },
                ],
              },
            },
          },
          answer: { json: { messages: [{ id: "wamid.4" }] } },
        },
      ],
      items: [{ messageId: "wamid.4" }],
    },
    {
      name: "passes full components on",
      input: {
        to: "49151",
        templateName: "order",
        languageCode: "en_US",
        bodyParameters: [],
        components: [{ type: "header", parameters: [] }],
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            json: {
              ...always,
              to: "49151",
              type: "template",
              template: { ...template, components: [{ type: "header", parameters: [] }] },
            },
          },
          answer: { json: { messages: [{ id: "wamid.5" }] } },
        },
      ],
      items: [{ messageId: "wamid.5" }],
    },
  ],
});

it("refuses body values together with components", async () => {
  const input = {
    to: "1",
    templateName: "order",
    languageCode: "en",
    bodyParameters: ["a"],
    components: [{ type: "body" }],
  };
  await expect(callTool(sendTemplateMessage, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/components" }],
  });
});

it("refuses a component without a type", async () => {
  const input = { to: "1", templateName: "t", languageCode: "de", components: [{ type: "body" }, { parameters: [] }] };
  await expect(callTool(sendTemplateMessage, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/components/1/type" }],
  });
});

it("checks the credential with its phone number", async () => {
  const requests = await useCredential(whatsappCredential, credential, [{ json: { id: "106540352242922" } }]);
  expect(requests).toMatchObject([{ method: "GET", path: "/v23.0/106540352242922", headers }]);
});

describe("a call of WhatsApp", () => {
  const secret = "app-secret";
  const options = { secret, now: new Date(), credential: { verifyToken: "verify-me" } };
  const request = {
    method: "POST",
    url: "https://switchyard.example/webhooks/x",
    query: {},
    headers: {},
    body: Buffer.alloc(0),
  };
  const signed = (body: string, signature = `sha256=${hmacHex("sha256", secret, body)}`) => ({
    ...request,
    headers: { "x-hub-signature-256": signature },
    body: Buffer.from(body),
  });
  const asked = (query: Record<string, string>) => ({ ...request, method: "GET", query });
  const question = { "hub.mode": "subscribe", "hub.verify_token": "verify-me", "hub.challenge": "1158201444" };
  const messages = (id: string) =>
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ changes: [{ field: "messages", value: { messages: [{ id }] } }] }],
    });

  it("is believed with its signature, and recognised when it is repeated", () => {
    const first = whatsappWebhook.verify(signed(messages("a")), options);
    expect(first).toMatchObject({ accepted: true, event: "messages", deliveryId: expect.any(String) });
    expect(whatsappWebhook.verify(signed(messages("a")), options)).toEqual(first);
    expect(whatsappWebhook.verify(signed(messages("b")), options)).not.toEqual(first);
  });

  it.each(["", "sha256=", `sha256=${hmacHex("sha256", "other", "{}")}`])(
    "is not believed with the signature %j",
    (signature) => {
      expect(whatsappWebhook.verify(signed("{}", signature), options)).toMatchObject({ accepted: false });
    },
  );

  it("gets the challenge back when it knows the verify token", () => {
    expect(whatsappWebhook.verify(asked(question), options)).toEqual({
      accepted: true,
      answer: { status: 200, contentType: "text/plain", body: "1158201444" },
    });
  });

  it("gets no challenge back otherwise", () => {
    const others = [{ ...question, "hub.verify_token": "x" }, { ...question, "hub.mode": "unsubscribe" }, {}];
    for (const query of others)
      expect(whatsappWebhook.verify(asked(query), options)).toMatchObject({ accepted: false });
    for (const data of [{}, undefined]) {
      const without = { secret, now: new Date(), ...(data ? { credential: data } : {}) };
      expect(whatsappWebhook.verify(asked({ ...question, "hub.verify_token": "" }), without)).toMatchObject({
        accepted: false,
      });
    }
  });
});

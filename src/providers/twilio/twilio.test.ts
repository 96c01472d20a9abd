import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { toJsonSchema } from "../../catalog/json-schema.ts";
import { twilioCredential } from "./credential.ts";
import { action as sendSms } from "./send_sms.ts";

const accountSid = `AC${"0a".repeat(16)}`;
const serviceSid = `MG${"0b".repeat(16)}`;
const credential = { accountSid, authToken: "twilio-sécret" };
const headers = { authorization: `Basic ${Buffer.from(`${accountSid}:twilio-sécret`).toString("base64")}` };
const place = `/2010-04-01/Accounts/${accountSid}/Messages.json`;

describeHttpTool(sendSms, {
  credential,
  failure: {
    answer: {
      status: 400,
      json: {
        code: 21211,
        message: "Invalid 'To' Phone Number",
        more_info: "https://www.twilio.com/docs/errors/21211",
        status: 400,
      },
    },
    says: /^Twilio refused the call \(400 21211\): Invalid 'To' Phone Number\.$/,
  },
  cases: [
    {
      name: "sends a text",
      input: { to: "+15005550006", from: "+15005550001", body: "Hello & welcome" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            headers,
            form: { To: "+15005550006", From: "+15005550001", Body: "Hello & welcome" },
          },
          answer: {
            status: 201,
            json: {
              sid: "SM1",
              status: "queued",
              to: "+15005550006",
              num_segments: "2",
              date_created: "Thu, 24 Aug 2023 05:01:45 +0000",
              error_code: null,
            },
          },
        },
      ],
      items: [
        {
          sid: "SM1",
          status: "queued",
          to: "+15005550006",
          segments: 2,
          dateCreated: "Thu, 24 Aug 2023 05:01:45 +0000",
        },
      ],
    },
    {
      name: "sends a picture through a messaging service",
      input: {
        to: "+1",
        messagingServiceSid: serviceSid,
        body: 'ü=&?#/\n"',
        mediaUrls: ["https://example.com/ä [1]?b=1&c=100%"],
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: place,
            form: {
              To: "+1",
              MessagingServiceSid: serviceSid,
              Body: 'ü=&?#/\n"',
              MediaUrl: "https://example.com/%C3%A4%20%5B1%5D?b=1&c=100%25",
            },
          },
          answer: { status: 201, json: { sid: "SM2" } },
        },
      ],
      items: [{ sid: "SM2" }],
    },
  ],
});

it("names every picture", async () => {
  const provider = await startFakeProvider();
  try {
    provider.script([{ status: 201, json: { sid: "SM1" } }]);
    const input = {
      to: "+1",
      from: "+2",
      body: "x",
      mediaUrls: ["https://a.example/1?", "https://u:p@[::1]:8/2//3?#x#y"],
    };
    await callTool(sendSms, { input, credential: { ...credential, baseUrl: provider.url } });
    expect(new URLSearchParams(provider.requests()[0]?.body.toString()).getAll("MediaUrl")).toEqual([
      "https://a.example/1?",
      "https://u:p@[::1]:8/2//3?",
    ]);
  } finally {
    await provider.stop();
  }
});

it.each([{}, { from: "+1", messagingServiceSid: serviceSid }])(
  "refuses a text with not exactly one sender: %j",
  async (sender) => {
    const outcome = callTool(sendSms, { input: { to: "+1", body: "x", ...sender }, credential });
    await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/from" }] });
  },
);

it.each([
  [{ messagingServiceSid: "MG1" }, "/messagingServiceSid"],
  [{ from: "+1", mediaUrls: ["https://a.example/1", "a.jpg"] }, "/mediaUrls/1"],
  [{ from: "+1", mediaUrls: ["file:///etc/passwd"] }, "/mediaUrls/0"],
])("refuses %j", async (input, pointer) => {
  const outcome = callTool(sendSms, { input: { to: "+1", body: "x", ...input }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
});

it("says in its schema what the id of a messaging service looks like, and says it to whoever gives another", async () => {
  const { properties } = toJsonSchema(sendSms.input, "input");
  expect(properties).toMatchObject({ messagingServiceSid: { pattern: "^MG[0-9a-fA-F]{32}$" } });
  const outcome = callTool(sendSms, { input: { to: "+1", body: "x", messagingServiceSid: "MG1" }, credential });
  await expect(outcome).rejects.toThrow("MG and 32 hexadecimal digits");
});

it("checks the credential with its account", async () => {
  const requests = await useCredential(twilioCredential, credential, [{ json: { sid: accountSid } }]);
  expect(requests).toMatchObject([{ method: "GET", path: `/2010-04-01/Accounts/${accountSid}.json`, headers }]);
});

describe("an API key of Twilio", () => {
  const apiKeySid = `SK${"b".repeat(32)}`;
  const basic = `Basic ${Buffer.from(`${apiKeySid}:key-secret`).toString("base64")}`;

  it("signs in for its account", async () => {
    const provider = await startFakeProvider();
    try {
      provider.script([{ status: 201, json: { sid: "SM1", status: "queued" } }]);
      const keyed = { accountSid, apiKeySid, authToken: "key-secret", baseUrl: provider.url };
      await callTool(sendSms, { input: { to: "+4915112345678", from: "+15005550006", body: "x" }, credential: keyed });
      expect(provider.requests()).toMatchObject([
        { path: `/2010-04-01/Accounts/${accountSid}/Messages.json`, headers: { authorization: basic } },
      ]);
    } finally {
      await provider.stop();
    }
  });

  it("is checked with what it may read: accounts are closed to standard keys", async () => {
    const requests = await useCredential(twilioCredential, { accountSid, apiKeySid, authToken: "key-secret" }, [
      { json: { messages: [] } },
    ]);
    expect(requests).toMatchObject([
      { path: `/2010-04-01/Accounts/${accountSid}/Messages.json?PageSize=1`, headers: { authorization: basic } },
    ]);
  });
});

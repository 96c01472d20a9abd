import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { action as createRefund } from "./create_refund.ts";
import { stripeCredential } from "./credential.ts";
import { action as listPayments } from "./list_payments.ts";
import { stripeWebhook } from "./webhook.ts";

const credential = { secretKey: "sk_secret", webhookSecret: "whsec_test" };
const headers = { authorization: "Bearer sk_secret", "stripe-version": "2023-08-16" };
const failure = {
  answer: {
    status: 400,
    json: {
      error: {
        type: "invalid_request_error",
        code: "charge_already_refunded",
        message: "Charge has already been refunded.",
      },
    },
  },
  says: /Stripe refused the call \(400 charge_already_refunded\): Charge has already been refunded\./,
};

const intent = (number: number) => ({
  id: `pi_${number}`,
  amount: 100 + number,
  currency: "eur",
  status: "succeeded",
  created: 1_700_000_000,
});
const payment = (number: number) => ({ ...intent(number), created: "2023-11-14T22:13:20.000Z" });
const range = <Item>(from: number, to: number, make: (number: number) => Item) =>
  Array.from({ length: to - from + 1 }, (_, index) => make(from + index));

describeHttpTool(listPayments, {
  credential,
  failure,
  cases: [
    {
      name: "lists payments",
      input: {},
      exchanges: [
        {
          request: { method: "GET", path: "/v1/payment_intents?limit=20", headers },
          answer: {
            json: {
              data: [
                { ...intent(1), customer: "cus_1", description: "Order 5" },
                { ...intent(2), customer: null, description: null },
              ],
            },
          },
        },
      ],
      items: [{ ...payment(1), customerId: "cus_1", description: "Order 5" }, payment(2)],
    },
    {
      name: "sends everything that is given",
      input: { customerId: "cus /?#ü", createdAfter: "2026-01-31T10:00:00.500+01:00", limit: 3 },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/payment_intents?customer=cus /?#ü&created[gte]=1769850001&limit=3" },
          answer: { json: { data: [{ id: "pi_1", customer: { id: "cus_2" } }], has_more: false } },
        },
      ],
      items: [{ id: "pi_1", customerId: "cus_2" }],
    },
    {
      name: "finds the customer of an email address",
      input: { customerEmail: "ann+x@example.com", limit: 1 },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/customers?email=ann+x@example.com&limit=10" },
          answer: { json: { data: [{ id: "cus_9" }] } },
        },
        {
          request: { method: "GET", path: "/v1/payment_intents?customer=cus_9&limit=1" },
          answer: { json: { data: [intent(1)], has_more: true } },
        },
      ],
      items: [payment(1)],
    },
    {
      name: "has no payments of an address without a customer",
      input: { customerEmail: "nobody@example.com" },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/customers?email=nobody@example.com&limit=10" },
          answer: { json: { data: [] } },
        },
      ],
      items: [],
    },
    {
      name: "follows pages and asks for no more than is wanted",
      input: { limit: 100 },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/payment_intents?limit=100" },
          answer: { json: { data: range(1, 60, intent), has_more: true } },
        },
        {
          request: { method: "GET", path: "/v1/payment_intents?limit=40&starting_after=pi_60" },
          answer: { json: { data: range(61, 100, intent), has_more: true } },
        },
      ],
      items: range(1, 100, payment),
    },
  ],
});

describeHttpTool(createRefund, {
  credential,
  failure,
  repeats: true,
  cases: [
    {
      name: "refunds a payment in full",
      input: { paymentIntentId: "pi_1" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/refunds",
            headers: { ...headers, "idempotency-key": expect.stringMatching(/^.{8,255}$/) },
            form: { payment_intent: "pi_1" },
          },
          answer: { json: { id: "re_1", amount: 500, currency: "eur", status: "succeeded", payment_intent: "pi_1" } },
        },
      ],
      items: [{ id: "re_1", amount: 500, currency: "eur", status: "succeeded", paymentIntentId: "pi_1" }],
    },
    {
      name: "sends everything that is given",
      input: { paymentIntentId: "pi /?&=ü\n", amount: 5, reason: "duplicate", idempotencyKey: "my-key" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/refunds",
            headers: { "idempotency-key": "my-key" },
            form: { payment_intent: "pi /?&=ü\n", amount: "5", reason: "duplicate" },
          },
          answer: { json: { id: "re_2", payment_intent: { id: "pi_1" } } },
        },
      ],
      items: [{ id: "re_2", paymentIntentId: "pi_1" }],
    },
  ],
});

describe("with a provider", () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  it("repeats a refund under the same key, so that it happens once", async () => {
    provider.script([{ drop: true }, { status: 503, json: {} }, { json: { id: "re_1" } }]);
    await callTool(createRefund, {
      input: { paymentIntentId: "pi_1" },
      credential: { ...credential, baseUrl: provider.url },
      idempotencyKey: "call-7",
    });
    expect(provider.requests().map((request) => request.headers["idempotency-key"])).toEqual([
      "call-7",
      "call-7",
      "call-7",
    ]);
  });

  it("refuses an address that belongs to several customers and names them", async () => {
    provider.script([{ json: { data: [{ id: "cus_1" }, { id: "cus_2" }] } }]);
    const outcome = callTool(listPayments, {
      input: { customerEmail: "a@b.example" },
      credential: { ...credential, baseUrl: provider.url },
    });
    await expect(outcome).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining("cus_1, cus_2"),
    });
  });
});

it.each([
  ["/customerEmail", { customerId: "cus_1", customerEmail: "a@b.example" }],
  ["/customerEmail", { customerEmail: `${"a".repeat(520)}@b.example` }],
  ["/customerId", { customerId: "c".repeat(5001) }],
  ["/createdAfter", { createdAfter: "yesterday" }],
])("refuses a wrong %s", async (pointer, input) => {
  await expect(callTool(listPayments, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer }],
  });
});

it.each([
  ["/paymentIntentId", { paymentIntentId: "p".repeat(5001) }],
  ["/idempotencyKey", { paymentIntentId: "pi_1", idempotencyKey: "ü" }],
  ["/idempotencyKey", { paymentIntentId: "pi_1", idempotencyKey: " " }],
  ["/idempotencyKey", { paymentIntentId: "pi_1", idempotencyKey: "a\nb" }],
  ["/idempotencyKey", { paymentIntentId: "pi_1", idempotencyKey: "k".repeat(256) }],
])("refuses a refund with a wrong %s", async (pointer, input) => {
  await expect(callTool(createRefund, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer }],
  });
});

it("checks the credential by what the tools need", async () => {
  expect(await useCredential(stripeCredential, credential, [{ json: {} }])).toMatchObject([
    { path: "/v1/payment_intents?limit=1", headers },
  ]);
});

describe("webhook", () => {
  const good = "f690a46e30cb3b0939db83061cd46450047bc656ab22edefb3aeef0b6ec4f7a6";
  const body = '{"id":"evt_1","type":"charge.refunded"}';
  const verify = (signature: string | undefined, { seconds = 1_700_000_000, sent = body } = {}) =>
    stripeWebhook.verify(
      {
        method: "POST",
        url: "https://switchyard.example/webhooks/x",
        query: {},
        headers: signature === undefined ? {} : { "stripe-signature": signature },
        body: Buffer.from(sent),
      },
      { secret: "whsec_test", now: new Date(seconds * 1000) },
    );

  it("believes what Stripe signed, also while the secret is being replaced", () => {
    const event = { accepted: true, event: "charge.refunded", deliveryId: "evt_1" };
    expect(verify(`t=1700000000,v1=${good}`)).toEqual(event);
    expect(verify(`t=1700000000,v1=${"0".repeat(64)},v1=${good},v0=old`)).toEqual(event);
  });

  it("believes a signature five minutes around its time", () => {
    for (const seconds of [1_699_999_700, 1_700_000_300])
      expect(verify(`t=1700000000,v1=${good}`, { seconds })).toMatchObject({ accepted: true });
    for (const seconds of [1_699_999_699, 1_700_000_301])
      expect(verify(`t=1700000000,v1=${good}`, { seconds })).toMatchObject({ accepted: false });
  });

  it("takes a signed body that is not JSON", () => {
    const signature = "t=1700000000,v1=426ca3e864aa421cbf54b4338752b4df427774498d696393231daac6a5b6922e";
    expect(verify(signature, { sent: "not json" })).toEqual({ accepted: true, event: null, deliveryId: null });
  });

  it.each([
    ["no signature", undefined],
    ["an empty signature", ""],
    ["no time", `v1=${good}`],
    ["another time than was signed", `t=1700000001,v1=${good}`],
    ["only another scheme", `t=1700000000,v0=${good}`],
    ["another signature", `t=1700000000,v1=${good.replace("f", "e")}`],
  ])("does not believe %s", (_name, signature) => {
    expect(verify(signature)).toMatchObject({ accepted: false });
  });

  it("does not believe a body that was changed", () => {
    expect(verify(`t=1700000000,v1=${good}`, { sent: `${body} ` })).toMatchObject({ accepted: false });
  });
});

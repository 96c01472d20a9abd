import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { stripeCredential } from "./credential.ts";

export const action = defineAction({
  id: "stripe_create_refund",
  title: "Create refund",
  description: "Refund a payment in full or in part.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  credential: stripeCredential,
  input: z.strictObject({
    paymentIntentId: z
      .string()
      .min(1)
      .max(5000)
      .meta({ title: "Payment intent ID" })
      .describe("Id of the payment, e.g. pi_3Abc; stripe_list_payments finds it."),
    amount: z
      .int()
      .min(1)
      .optional()
      .describe("How much, in the smallest currency unit, e.g. 500 for 5.00 EUR; all when absent."),
    reason: z.enum(["duplicate", "fraudulent", "requested_by_customer"]).optional().describe("Why it is refunded."),
    idempotencyKey: z
      .string()
      .max(255)
      .regex(/^[!-~](?:[ -~]*[!-~])?$/, "must be 1-255 ASCII characters without spaces at its ends")
      .optional()
      .describe("A text of your own, e.g. order-42: the same key makes the same refund, once."),
  }),
  output: z.object({
    id: z.string().optional().describe("Refund id."),
    amount: z.int().optional().describe("Refunded amount in the smallest currency unit."),
    currency: z.string().optional().describe("Currency code, e.g. eur."),
    status: z.string().optional().describe("How far it is, e.g. succeeded or pending."),
    paymentIntentId: z.string().optional().describe("Id of the payment."),
  }),
  isRepeatable: ({ idempotencyKey }) => idempotencyKey !== undefined,
  // Stripe does it once for each key, and there always is one.
  isResendable: () => true,
  async run({ input: { paymentIntentId, amount, reason, idempotencyKey }, http, ...call }) {
    const refund = await http.json({
      method: "POST",
      path: "/v1/refunds",
      headers: { "idempotency-key": idempotencyKey ?? call.idempotencyKey },
      form: { payment_intent: paymentIntentId, amount, reason },
    });
    return [
      {
        id: requireProof("Stripe", textAt(refund, "id"), "refund id"),
        amount: integerAt(refund, "amount"),
        currency: textAt(refund, "currency"),
        status: textAt(refund, "status"),
        paymentIntentId: textAt(refund, "payment_intent") ?? textAt(refund, "payment_intent", "id"),
      },
    ];
  },
});

import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import type { Http } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { booleanAt, integerAt, listAt, numberAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { stripeCredential } from "./credential.ts";

const pageSize = 100;

export const action = defineAction({
  id: "stripe_list_payments",
  title: "List payments",
  description: "List payments, newest first, optionally of one customer.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: stripeCredential,
  input: z.strictObject({
    customerId: z
      .string()
      .min(1)
      .max(5000)
      .optional()
      .meta({ title: "Customer ID", choices: "customers" })
      .describe(
        "Id of the customer, e.g. cus_Abc, as on their page in the Stripe dashboard. Give this or customerEmail, not both.",
      ),
    customerEmail: z
      .email()
      .max(512)
      .optional()
      .describe("E-mail address of the customer, e.g. ann@example.com. Give this or customerId, not both."),
    createdAfter: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("Only payments since this time, RFC 3339, e.g. 2026-01-31T09:00:00Z."),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Payment intent id."),
    amount: z.int().optional().describe("Smallest currency unit."),
    currency: z.string().optional().describe("Currency code, e.g. eur."),
    status: z.string().optional().describe("How far it is, e.g. succeeded."),
    customerId: z.string().optional().describe("Id of the customer."),
    description: z.string().optional().describe("Text about the payment."),
    created: z.string().optional().describe("Time it was made, ISO 8601."),
  }),
  async run({ input: { customerId, customerEmail, createdAfter, limit }, http }) {
    if (customerId !== undefined && customerEmail !== undefined)
      throw refuseInput("/customerEmail", "must not be given together with customerId");
    const createdFrom = createdAfter === undefined ? undefined : toUnixSeconds(createdAfter);
    const customer = customerEmail === undefined ? customerId : await findCustomer(http, customerEmail);
    if (customer === undefined && customerEmail !== undefined) return [];
    const payments = await collectPages<unknown, string>(limit, async (startingAfter, wanted) => {
      const query = {
        customer,
        "created[gte]": createdFrom,
        limit: Math.min(wanted, pageSize),
        starting_after: startingAfter,
      };
      const answer = await http.json({ path: "/v1/payment_intents", query });
      const items = listAt(answer, "data");
      return { items, next: booleanAt(answer, "has_more") ? textAt(items.at(-1), "id") : undefined };
    });
    return payments.map((payment) => ({
      id: textAt(payment, "id"),
      amount: integerAt(payment, "amount"),
      currency: textAt(payment, "currency"),
      status: textAt(payment, "status"),
      customerId: textAt(payment, "customer") ?? textAt(payment, "customer", "id"),
      description: textAt(payment, "description"),
      created: toTime(numberAt(payment, "created")),
    }));
  },
});

async function findCustomer(http: Http, email: string): Promise<string | undefined> {
  const answer = await http.json({ path: "/v1/customers", query: { email, limit: 10 } });
  const ids = listAt(answer, "data").flatMap((customer) => textAt(customer, "id") ?? []);
  if (ids.length > 1)
    throw refuseInput("/customerEmail", `belongs to several customers (${ids.join(", ")}): choose one with customerId`);
  return ids[0];
}

const toUnixSeconds = (time: string): number => Math.ceil(Date.parse(time) / 1000);

/** Undefined for a number that is no time. */
function toTime(seconds: number | undefined): string | undefined {
  const time = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

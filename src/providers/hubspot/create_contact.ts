import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { recordAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { contactsPath } from "./api-version.ts";
import { toText } from "./client.ts";
import { hubspotCredential } from "./credential.ts";

export const action = defineAction({
  id: "hubspot_create_contact",
  title: "Create contact",
  description: "Create a contact.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: hubspotCredential,
  input: z.strictObject({
    email: z.email().optional().describe("E-mail address, e.g. ann@example.com. At least one property must be given."),
    firstName: z.string().optional().describe("First name."),
    lastName: z.string().optional().describe("Last name."),
    phone: z.string().optional().describe("Phone number."),
    company: z.string().optional().describe("Name of the company."),
    properties: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Further properties by internal name, e.g. {"jobtitle": "Engineer"}.'),
  }),
  output: z.object({
    id: z.string().optional().describe("Contact id."),
    properties: z.record(z.string(), z.unknown()).optional().describe("Properties by internal name."),
    createdAt: z.string().optional().describe("Time it was made, ISO 8601."),
  }),
  async run({ input: { email, firstName, lastName, phone, company, properties = {} }, http }) {
    const further = Object.entries(properties).map(
      ([name, value]) => [name, toText(value, `/properties/${name}`)] as const,
    );
    const named = Object.entries({ email, firstname: firstName, lastname: lastName, phone, company }).filter(
      ([, value]) => value !== undefined,
    );
    if (further.length + named.length === 0)
      throw new Refusal("validation_failed", "A contact needs at least one property, such as its email.");
    const json = { properties: Object.fromEntries([...further, ...named]) };
    const created = await http.json({ method: "POST", path: contactsPath, json });
    return [
      {
        id: requireProof("HubSpot", textAt(created, "id"), "contact id"),
        properties: recordAt(created, "properties"),
        createdAt: textAt(created, "createdAt"),
      },
    ];
  },
});

import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { contactsPath } from "./api-version.ts";
import { readContact, toText } from "./client.ts";
import { hubspotCredential } from "./credential.ts";

const pageSize = 100;
const operators = new Set([
  ...["EQ", "NEQ", "LT", "LTE", "GT", "GTE", "BETWEEN", "IN", "NOT_IN"],
  ...["HAS_PROPERTY", "NOT_HAS_PROPERTY", "CONTAINS_TOKEN", "NOT_CONTAINS_TOKEN"],
]);

export const action = defineAction({
  id: "hubspot_search_contacts",
  title: "Search contacts",
  description: "Search contacts by text or property filter.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: hubspotCredential,
  input: z.strictObject({
    query: z.string().optional().describe("Free text."),
    filters: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe(
        'All must hold, e.g. [{"propertyName": "city", "operator": "EQ", "value": "Bonn"}]; IN takes values, BETWEEN also highValue.',
      ),
    properties: z
      .array(z.string().meta({ choices: "properties" }))
      .optional()
      .describe("Properties to return."),
    limit: z.int().min(1).max(200).default(20).describe("Most items to return (1-200)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Contact id."),
    properties: z.record(z.string(), z.unknown()).optional().describe("Properties by internal name."),
    createdAt: z.string().optional().describe("Time it was made, ISO 8601."),
    updatedAt: z.string().optional().describe("Time of the last change, ISO 8601."),
  }),
  async run({ input: { query, filters = [], properties, limit }, http }) {
    const filterGroups = filters.length === 0 ? undefined : [{ filters: filters.map(toFilter) }];
    const contacts = await collectPages<unknown, string>(limit, async (after, wanted) => {
      const json = { query, filterGroups, properties, limit: Math.min(wanted, pageSize), after };
      const answer = await http.json({ method: "POST", path: `${contactsPath}/search`, json });
      return { items: listAt(answer, "results"), next: textAt(answer, "paging", "next", "after") };
    });
    return contacts.map(readContact);
  },
});

function toFilter(filter: Record<string, unknown>, index: number) {
  const { propertyName, operator, value, values, highValue, ...unknownFields } = filter;
  const pointer = `/filters/${index}`;
  const isUnderstood =
    typeof propertyName === "string" && typeof operator === "string" && Object.keys(unknownFields).length === 0;
  if (!isUnderstood)
    throw refuseInput(pointer, "must have propertyName and operator, and may have value, values and highValue");
  if (!operators.has(operator)) throw refuseInput(`${pointer}/operator`, `must be one of ${[...operators].join(", ")}`);
  return {
    propertyName,
    operator,
    ...(value === undefined ? {} : { value: toText(value, `${pointer}/value`) }),
    ...(values === undefined ? {} : { values: [values].flat().map((entry) => toText(entry, `${pointer}/values`)) }),
    ...(highValue === undefined ? {} : { highValue: toText(highValue, `${pointer}/highValue`) }),
  };
}

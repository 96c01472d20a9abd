import { z } from "zod";
import type { CredentialCall } from "../../contract/credential.ts";
import { definePoll } from "../../contract/poll.ts";
import { listByTime, type TimedPage } from "../../contract/poll-by-time.ts";
import { known, listAt, textAt } from "../../contract/read.ts";
import { contactsPath } from "./api-version.ts";
import { readContact } from "./client.ts";

export const newContact = definePoll({
  id: "new_contact",
  title: "New contact",
  description:
    "Starts for each contact that is created in HubSpot, some seconds to minutes after it: HubSpot's search finds new contacts late.",
  // Searches have a limit of some requests a second for the whole account, which other apps need as well.
  everySeconds: { least: 30, usual: 120 },
  parameters: z.strictObject({
    properties: z
      .array(z.string().min(1))
      .max(100)
      .default(["email", "firstname", "lastname", "phone", "company", "lifecyclestage"])
      .describe('Internal names of the properties to give to the run, e.g. ["email", "jobtitle"].'),
  }),
  list: async (call, { parameters: { properties }, mark, now }) =>
    await listByTime({ mark, now }, { overlapMs, readPage: (since, cursor) => readPage(call, { properties, since, cursor }) }),
  promptOf: (payload) => known([nameOf(payload), textAt(payload, "properties", "email")]).join(" ") || undefined,
  senderOf: (payload) => ({ id: textAt(payload, "properties", "email") ?? textAt(payload, "id"), name: nameOf(payload) }),
});

// The index of the search is late by seconds, and by minutes while much is imported.
const overlapMs = 30 * 60_000;
const pageSize = 100;
// HubSpot refuses to go further in one search.
const mostResults = 10_000;

type Wanted = { properties: string[]; since: Date | null; cursor: string | undefined };

async function readPage({ http }: CredentialCall, { properties, since, cursor }: Wanted): Promise<TimedPage> {
  const filters = since && [{ propertyName: "createdate", operator: "GTE", value: String(since.getTime()) }];
  const json = {
    ...(filters ? { filterGroups: [{ filters }] } : {}),
    sorts: [{ propertyName: "createdate", direction: since ? "ASCENDING" : "DESCENDING" }],
    properties: [...new Set([...properties, "createdate"])],
    limit: pageSize,
    after: cursor,
  };
  const answer = await http.json({ method: "POST", path: `${contactsPath}/search`, json, repeatable: true });
  const items = listAt(answer, "results").flatMap((entry) => {
    const contact = readContact(entry);
    if (contact.id === undefined) return [];
    return [{ id: contact.id, payload: contact, createdAt: textAt(contact.properties, "createdate") ?? contact.createdAt }];
  });
  const next = textAt(answer, "paging", "next", "after");
  const isCut = next !== undefined && Number(next) + pageSize > mostResults;
  return isCut ? { items, next: undefined, isCut } : { items, next };
}

const nameOf = (contact: unknown): string | undefined =>
  known([textAt(contact, "properties", "firstname"), textAt(contact, "properties", "lastname")]).join(" ") || undefined;

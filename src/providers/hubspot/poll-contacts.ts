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
      .array(z.string().min(1).meta({ choices: "properties" }))
      .max(100)
      .default(["email", "firstname", "lastname", "phone", "company", "lifecyclestage"])
      .describe('Internal names of the properties to give to the run, e.g. ["email", "jobtitle"].'),
  }),
  list: async (call, { parameters: { properties }, mark, now }) =>
    await listByTime(
      { mark, now },
      { overlapMs, readPage: (since, cursor) => readPage(call, { properties, since, cursor }) },
    ),
  promptOf: (payload) => known([nameOf(payload), textAt(payload, "properties", "email")]).join(" ") || undefined,
  senderOf: (payload) => ({
    id: textAt(payload, "properties", "email") ?? textAt(payload, "id"),
    name: nameOf(payload),
  }),
});

// The index of the search is late by seconds, and by minutes while much is imported.
const overlapMs = 30 * 60_000;
const pageSize = 100;
// HubSpot refuses to go further in one search.
const mostResults = 10_000;

type Wanted = { properties: string[]; since: Date | null; cursor: string | undefined };

async function readPage(call: CredentialCall, wanted: Wanted): Promise<TimedPage> {
  const { since, cursor } = wanted;
  if (since && cursor?.startsWith(behindId))
    return await readMoment(call, { ...wanted, since, lastId: cursor.slice(behindId.length) });
  const filters = since && [{ propertyName: "createdate", operator: "GTE", value: String(since.getTime()) }];
  const sorts = [{ propertyName: "createdate", direction: since ? "ASCENDING" : "DESCENDING" }];
  const { items, next } = await search(call, { ...wanted, filters, sorts });
  if (next === undefined || Number(next) + pageSize <= mostResults) return { items, next };
  // Where all of them were made at the same moment, the time leads no further.
  const isMoment = since !== null && Date.parse(items.at(-1)?.createdAt ?? "") <= since.getTime();
  return isMoment ? { items, next: `${behindId}0` } : { items, next: undefined, isCut: true };
}

const behindId = "behind:";

/** All that were made at one moment, by their ids, and then what came later. */
async function readMoment(
  call: CredentialCall,
  { lastId, ...wanted }: Wanted & { since: Date; lastId: string },
): Promise<TimedPage> {
  const filters = [
    { propertyName: "createdate", operator: "EQ", value: String(wanted.since.getTime()) },
    { propertyName: "hs_object_id", operator: "GT", value: lastId },
  ];
  const sorts = [{ propertyName: "hs_object_id", direction: "ASCENDING" }];
  const { items, next } = await search(call, { ...wanted, cursor: undefined, filters, sorts });
  const last = items.at(-1)?.id;
  return next === undefined || last === undefined
    ? { items, next: undefined, isCut: true }
    : { items, next: behindId + last };
}

type Search = Pick<Wanted, "properties" | "cursor"> & { filters: object[] | null; sorts: object[] };

async function search({ http }: CredentialCall, { properties, cursor, filters, sorts }: Search) {
  const json = {
    ...(filters ? { filterGroups: [{ filters }] } : {}),
    sorts,
    properties: [...new Set([...properties, "createdate"])],
    limit: pageSize,
    after: cursor,
  };
  const answer = await http.json({ method: "POST", path: `${contactsPath}/search`, json, repeatable: true });
  const items = listAt(answer, "results").flatMap((entry) => {
    const contact = readContact(entry);
    if (contact.id === undefined) return [];
    return [
      { id: contact.id, payload: contact, createdAt: textAt(contact.properties, "createdate") ?? contact.createdAt },
    ];
  });
  return { items, next: textAt(answer, "paging", "next", "after") };
}

const nameOf = (contact: unknown): string | undefined =>
  known([textAt(contact, "properties", "firstname"), textAt(contact, "properties", "lastname")]).join(" ") || undefined;

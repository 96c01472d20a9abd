import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { listAt, textAt } from "../../contract/read.ts";

const listSize = 100;

/** The numbers that belong to the account. */
export async function listNumbers({ http, credential, most }: ChoicesCall): Promise<Choice[]> {
  const place = path`/2010-04-01/Accounts/${textAt(credential, "accountSid") ?? ""}/IncomingPhoneNumbers.json`;
  const answer = await http.json({ path: place, query: { PageSize: most } });
  return toChoices(listAt(answer, "incoming_phone_numbers"), (number) => ({
    value: textAt(number, "phone_number"),
    title: textAt(number, "friendly_name"),
  }));
}

export async function listMessagingServices({ http, credential }: ChoicesCall): Promise<Choice[]> {
  // An account with an address of its own has all of Twilio behind it.
  const origin = textAt(credential, "baseUrl") ?? "https://messaging.twilio.com";
  const answer = await http.json({ path: `${origin}/v1/Services`, query: { PageSize: listSize } });
  return toChoices(listAt(answer, "services"), (service) => ({
    value: textAt(service, "sid"),
    title: textAt(service, "friendly_name"),
  }));
}

import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { collectPages } from "../../contract/pages.ts";
import { at, known, listAt, textAt } from "../../contract/read.ts";

const pageSize = 100;

/** The newest first. Who looks for an old one knows the e-mail address, which the tool takes as well. */
export async function listCustomers({ http, most }: ChoicesCall): Promise<Choice[]> {
  const customers = await collectPages<unknown, string>(most, async (startingAfter) => {
    const query = { limit: pageSize, starting_after: startingAfter };
    const answer = await http.json({ path: "/v1/customers", query });
    const items = listAt(answer, "data");
    return { items, next: at(answer, "has_more") === true ? textAt(items.at(-1), "id") : undefined };
  });
  return toChoices(customers, (customer) => ({
    value: textAt(customer, "id"),
    title: known([textAt(customer, "name"), textAt(customer, "email")]).join(" · ") || undefined,
  }));
}

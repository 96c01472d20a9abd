import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { readTitle } from "./client.ts";

const listSize = 100;

/** What is shared with the integration, by a part of its title. */
export const listShared =
  (type: "page" | "data_source") =>
  async ({ http, search }: ChoicesCall): Promise<Choice[]> => {
    const answer = await http.json({
      method: "POST",
      path: "/v1/search",
      json: { query: search, filter: { property: "object", value: type }, page_size: listSize },
      repeatable: true,
    });
    return toChoices(listAt(answer, "results"), (entry) => ({
      value: textAt(entry, "id"),
      title: readTitle(entry) || "Untitled",
    }));
  };

import type { Choice } from "../../contract/credential.ts";
import type { Http } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";

const mostCalendars = 500;

export async function listCalendars(http: Http): Promise<Choice[]> {
  const calendars = await collectPages<unknown, string>(mostCalendars, async (pageToken) => {
    const answer = await http.json({
      path: "/calendar/v3/users/me/calendarList",
      query: { maxResults: 250, pageToken },
    });
    return { items: listAt(answer, "items"), next: textAt(answer, "nextPageToken") };
  });
  return calendars.flatMap((calendar) => {
    const value = textAt(calendar, "id");
    return value === undefined
      ? []
      : [{ value, title: textAt(calendar, "summaryOverride") ?? textAt(calendar, "summary") }];
  });
}

import type { ReadFault } from "../../contract/fault.ts";
import { type Http, type HttpRequest, providerFailure } from "../../contract/http.ts";
import { at, textAt } from "../../contract/read.ts";

/** The result of a method of the Bot API. */
export async function callTelegram(http: Http, request: HttpRequest): Promise<unknown> {
  const answer = await http.json(request);
  if (at(answer, "ok") !== true)
    throw providerFailure("Telegram", { code: textAt(answer, "error_code"), message: textAt(answer, "description") });
  return at(answer, "result");
}

// The error_code is the HTTP status again.
export const readTelegramFault: ReadFault = (body) => ({ message: textAt(body, "description") });

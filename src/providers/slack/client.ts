import type { ReadFault } from "../../contract/fault.ts";
import { type Http, type HttpRequest, providerFailure } from "../../contract/http.ts";
import { at, textAt, textsAt } from "../../contract/read.ts";

/** Slack also refuses with status 200; the answer says whether it is one. */
export async function callSlack(http: Http, request: HttpRequest): Promise<unknown> {
  const answer = await http.json(request);
  if (at(answer, "ok") !== true) throw providerFailure("Slack", faultOf(answer));
  return answer;
}

export const readSlackFault: ReadFault = (body) => faultOf(body);

function faultOf(body: unknown) {
  const needed = textAt(body, "needed");
  const words = [...textsAt(body, "response_metadata", "messages"), ...(needed === undefined ? [] : [`the scope ${needed} is needed`])];
  return { code: textAt(body, "error"), message: words.join(" ") };
}

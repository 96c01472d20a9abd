import { type Http, path } from "../../contract/http.ts";
import { apiVersions } from "./api-version.ts";

export const receiverText =
  "Number of the receiver with country code, digits only, e.g. 4915112345678, or their user id as deliveries name it, e.g. US.13491208655302741918.";

type Message = { to: string; type: "text" | "template" } & Record<string, unknown>;

export const sendMessage = (http: Http, phoneNumberId: string, { to, ...message }: Message): Promise<unknown> =>
  http.json({
    method: "POST",
    path: path`/${apiVersions.graph.version}/${phoneNumberId}/messages`,
    json: { messaging_product: "whatsapp", recipient_type: "individual", ...addressOf(to), ...message },
  });

/** People with a user name need not give their number; Meta then names them by an id such as US.13491208655302741918. */
const addressOf = (to: string) => (/^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(to) ? { recipient: to } : { to });

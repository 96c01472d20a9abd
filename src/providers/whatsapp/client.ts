import { type Http, path } from "../../contract/http.ts";
import { apiVersions } from "./api-version.ts";

type Message = { to: string; type: "text" | "template" } & Record<string, unknown>;

export const sendMessage = (http: Http, phoneNumberId: string, message: Message): Promise<unknown> =>
  http.json({
    method: "POST",
    path: path`/${apiVersions.graph.version}/${phoneNumberId}/messages`,
    json: { messaging_product: "whatsapp", recipient_type: "individual", ...message },
  });

import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { twilioCredential } from "./credential.ts";

export const action = defineAction({
  id: "twilio_send_sms",
  title: "Send SMS",
  description: "Send an SMS message.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: twilioCredential,
  input: z.strictObject({
    to: z.string().min(1).describe("Number of the receiver in E.164 form, e.g. +4915112345678."),
    from: z
      .string()
      .min(1)
      .optional()
      .describe("Your Twilio number in E.164 form, e.g. +4915112345678. Give this or messagingServiceSid.")
      .meta({ choices: "numbers" }),
    messagingServiceSid: z
      .string()
      .regex(/^MG[0-9a-fA-F]{32}$/, "must be the SID of a messaging service: MG and 32 hexadecimal digits")
      .optional()
      .meta({ title: "Messaging service SID", choices: "messagingServices" })
      .describe(
        "SID of a messaging service, MG and 32 hexadecimal digits, as in the Twilio console under Messaging. Give this or from.",
      ),
    body: z.string().min(1).max(1600).describe("At most 1600 characters."),
    mediaUrls: z
      .array(z.string())
      .optional()
      .meta({ title: "Media URLs" })
      .describe("Public addresses of pictures, which make it an MMS."),
  }),
  output: z.object({
    sid: z.string().optional().describe("Message id."),
    status: z.string().optional().describe("How far it is, e.g. queued."),
    to: z.string().optional().describe("Number of the receiver."),
    segments: z.int().optional().describe("How many messages it takes."),
    dateCreated: z.string().optional().describe("Time it was made."),
  }),
  async run({ input: { to, from, messagingServiceSid, body, mediaUrls }, credential, http }) {
    if ((from === undefined) === (messagingServiceSid === undefined)) {
      throw new Refusal("validation_failed", "Give either from or messagingServiceSid.", {
        errors: [{ pointer: "/from", detail: "exactly one of from and messagingServiceSid is needed" }],
      });
    }
    const sent = await http.json({
      method: "POST",
      path: path`/2010-04-01/Accounts/${credential.accountSid}/Messages.json`,
      form: {
        To: to,
        From: from,
        MessagingServiceSid: messagingServiceSid,
        Body: body,
        MediaUrl: mediaUrls?.map(toUri),
      },
    });
    return [
      {
        sid: requireProof("Twilio", textAt(sent, "sid"), "message id"),
        status: textAt(sent, "status"),
        to: textAt(sent, "to"),
        segments: integerAt(sent, "num_segments"),
        dateCreated: textAt(sent, "date_created"),
      },
    ];
  },
});

/** Twilio takes only what RFC 3986 allows; browsers and people are more generous. */
function toUri(address: string, index: number): string {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw refuseInput(`/mediaUrls/${index}`, "must be an address that starts with https://");
  url.hash = "";
  const [server = "", place = ""] = url.href.split(/(?<=^https?:\/\/[^/]+)(?=\/)/);
  return server + place.replaceAll(/%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/gi, encodeURIComponent);
}

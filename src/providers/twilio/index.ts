import { defineProvider } from "../../contract/provider.ts";
import { twilioCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "twilio",
  title: "Twilio",
  description: "Send SMS messages.",
  synonyms: ["sms", "text message", "phone"],
  credential: twilioCredential,
});

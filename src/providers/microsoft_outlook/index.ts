import { defineProvider } from "../../contract/provider.ts";
import { microsoftOutlookCredential } from "./credential.ts";
import { newEmail } from "./poll-new-email.ts";

export const provider = defineProvider({
  id: "microsoft_outlook",
  title: "Microsoft Outlook",
  description: "Send and search Outlook mail through Microsoft Graph.",
  synonyms: ["office 365", "microsoft 365", "e-mail", "mail", "inbox", "graph"],
  credential: microsoftOutlookCredential,
  polls: [newEmail],
});

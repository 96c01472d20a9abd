import { defineProvider } from "../../contract/provider.ts";
import { microsoftOutlookCredential } from "./credential.ts";
import { newEmail } from "./poll-new-email.ts";

export const provider = defineProvider({
  id: "microsoft_outlook",
  title: "Microsoft Outlook",
  description: "Send and search Outlook mail through Microsoft Graph.",
  credential: microsoftOutlookCredential,
  polls: [newEmail],
});

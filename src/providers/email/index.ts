import { defineProvider } from "../../contract/provider.ts";
import { emailCredential } from "./credential.ts";
import { newEmail } from "./poll-new-email.ts";

export const provider = defineProvider({
  id: "email",
  title: "Email (SMTP and IMAP)",
  description: "Send mail over SMTP and search a mailbox over IMAP.",
  synonyms: ["mail", "inbox", "smtp", "imap", "outlook", "mailbox"],
  credential: emailCredential,
  polls: [newEmail],
});

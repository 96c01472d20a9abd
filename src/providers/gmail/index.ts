import { defineProvider } from "../../contract/provider.ts";
import { gmailCredential } from "./credential.ts";
import { newEmail } from "./poll-new-email.ts";

export const provider = defineProvider({
  id: "gmail",
  title: "Gmail",
  description: "Send, search and label Gmail messages.",
  synonyms: ["google mail", "e-mail", "mail", "inbox"],
  credential: gmailCredential,
  polls: [newEmail],
});

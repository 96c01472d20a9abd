import { defineProvider } from "../../contract/provider.ts";
import { hubspotCredential } from "./credential.ts";
import { newContact } from "./poll-contacts.ts";

export const provider = defineProvider({
  id: "hubspot",
  title: "HubSpot",
  description: "Find and create CRM contacts.",
  synonyms: ["crm", "contacts", "sales"],
  credential: hubspotCredential,
  polls: [newContact],
});

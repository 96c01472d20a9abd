import { defineProvider } from "../../contract/provider.ts";
import { hubspotCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "hubspot",
  title: "HubSpot",
  description: "Find and create CRM contacts.",
  credential: hubspotCredential,
});

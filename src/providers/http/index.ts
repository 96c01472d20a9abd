import { defineProvider } from "../../contract/provider.ts";
import { httpCredential } from "./credential.ts";
import { newFeedEntry } from "./poll-new-feed-entry.ts";

export const provider = defineProvider({
  id: "http",
  title: "HTTP",
  section: "data",
  description: "Call any HTTP endpoint and read feeds.",
  synonyms: ["rest", "api", "curl", "fetch", "url", "web request", "rss", "feed"],
  credential: httpCredential,
  polls: [newFeedEntry],
});

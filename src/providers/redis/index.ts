import { defineProvider } from "../../contract/provider.ts";
import { redisCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "redis",
  title: "Redis",
  description: "Read and write keys of a Redis server.",
  synonyms: ["cache", "key-value", "database"],
  credential: redisCredential,
});

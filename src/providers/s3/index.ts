import { defineProvider } from "../../contract/provider.ts";
import { s3Credential } from "./credential.ts";
import { newObject } from "./poll-objects.ts";

export const provider = defineProvider({
  id: "s3",
  title: "S3 storage",
  description: "List, read, write and delete objects in S3-compatible storage.",
  synonyms: ["aws", "amazon", "minio", "bucket", "object storage", "files"],
  credential: s3Credential,
  polls: [newObject],
});

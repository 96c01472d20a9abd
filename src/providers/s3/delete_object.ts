import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { objectPath } from "./client.ts";
import { s3Credential } from "./credential.ts";

export const action = defineAction({
  id: "s3_delete_object",
  title: "Delete object",
  description: "Delete an object.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  credential: s3Credential,
  input: z.strictObject({
    bucket: z.string().min(1).describe("Name of the bucket.").meta({ choices: "buckets" }),
    key: z.string().min(1).describe("Key of the object, e.g. reports/2026.csv; s3_list_objects finds it."),
  }),
  output: z.object({
    key: z.string().describe("Key of the object."),
    deleted: z.boolean().describe("Also true when there was no such object."),
  }),
  async run({ input: { bucket, key }, http }) {
    const response = await http.send({ method: "DELETE", path: objectPath(bucket, key) });
    await response.body?.cancel();
    return [{ key, deleted: true }];
  },
});

import { describe, expect, it } from "vitest";
import { asked, lookAt, pollAgain } from "../../../test/support/browser/look-at.ts";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { useBucket } from "../../../test/support/providers/bucket.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { s3Credential } from "./credential.ts";
import { newObject } from "./poll-objects.ts";
import { action as putObject } from "./put_object.ts";

const key = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER", region: "eu-west-1", forcePathStyle: true };

describe("new objects of a bucket", () => {
  const account = useBucket();
  const put = (name: string, content: string) =>
    callTool(putObject, { input: { bucket: "photos", key: name, content }, credential: account() });
  const pollObjects = (parameters: Record<string, unknown>) =>
    pollAgain(newObject, s3Credential, () => ({ credential: account(), parameters }));

  it.each([[{ bucket: "photos", prefix: "in/" }], [{ bucket: "s3://photos/in/" }]])(
    "are those with a new key, and those overwritten with other content: %j",
    async (parameters) => {
      await put("in/old", "old");
      const look = pollObjects(parameters);
      expect(await look()).toEqual([]);
      const name = `in/a b+ü ${Object.keys(parameters).length}`;
      const [stored] = await put(name, "one");
      await put("in/folder/", "");
      await put("elsewhere", "x");
      expect(await look()).toMatchObject([{ payload: { bucket: "photos", key: name, size: 3, etag: stored?.etag } }]);
      await put(name, "one");
      expect(await look()).toEqual([]);
      await put(name, "two");
      expect(await look()).toMatchObject([{ payload: { key: name } }]);
    },
  );

  it("come oldest first, though they are listed by their keys", async () => {
    const provider = await startFakeProvider();
    const entry = (name: string, time: string) =>
      `<Contents><Key>${name}</Key><LastModified>${time}</LastModified><ETag>&quot;${name}&quot;</ETag><Size>5</Size></Contents>`;
    try {
      provider.script([
        {
          body: `<ListBucketResult>${entry("a", "2026-01-02T00:00:00.000Z")}<NextContinuationToken>t==</NextContinuationToken></ListBucketResult>`,
        },
        { body: `<ListBucketResult>${entry("b", "2026-01-01T00:00:00.000Z")}</ListBucketResult>` },
      ]);
      const where = { credential: { ...key, baseUrl: provider.url }, parameters: { bucket: "photos" } };
      const { items, hasMore } = await lookAt(newObject, s3Credential, where);
      expect([items.map(({ id }) => id), hasMore]).toEqual([["b b", "a a"], false]);
      expect(asked(provider).map(({ path }) => path)).toEqual([
        "/photos?list-type=2&max-keys=1000&encoding-type=url",
        "/photos?list-type=2&max-keys=1000&continuation-token=t==&encoding-type=url",
      ]);
    } finally {
      await provider.stop();
    }
  });

  it("are refused beyond 10,000, with what to do", async () => {
    const provider = await startFakeProvider();
    const page = (number: number, count: number) => ({
      body: `<ListBucketResult>${Array.from({ length: count }, (_, index) => `<Contents><Key>${number}-${index}</Key><ETag>e</ETag><Size>1</Size></Contents>`).join("")}<NextContinuationToken>${number}</NextContinuationToken></ListBucketResult>`,
    });
    try {
      provider.script([...Array.from({ length: 10 }, (_, number) => page(number, 1000)), page(10, 1)]);
      const where = { credential: { ...key, baseUrl: provider.url }, parameters: { bucket: "photos" } };
      await expect(lookAt(newObject, s3Credential, where)).rejects.toMatchObject({
        code: "validation_failed",
        message: expect.stringContaining("must be narrower: more than 10,000 objects"),
        errors: [{ pointer: "/prefix" }],
      });
    } finally {
      await provider.stop();
    }
  });
});

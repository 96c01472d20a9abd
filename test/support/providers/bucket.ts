import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { afterAll, beforeAll } from "vitest";

/** A storage server on loopback with the bucket `photos`, for all tests of a `describe`. Gives the account that it takes. */
export function useBucket(): () => Record<string, unknown> {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-s3-"));
  const configureBuckets = [{ name: "photos", configs: [] }];
  const server = new S3rver({ port: 0, address: "127.0.0.1", silent: true, directory: folder, configureBuckets });
  let endpoint: string;

  beforeAll(async () => {
    endpoint = `http://127.0.0.1:${(await server.run()).port}`;
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => ({
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
    region: "eu-west-1",
    forcePathStyle: true,
    endpoint,
  });
}

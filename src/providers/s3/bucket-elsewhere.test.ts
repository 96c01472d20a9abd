import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { action as getObject } from "./get_object.ts";

let server: FakeProvider;
let elsewhere: FakeProvider;
beforeAll(async () => {
  [server, elsewhere] = await Promise.all([startFakeProvider(), startFakeProvider()]);
});
afterAll(async () => {
  await Promise.all([server.stop(), elsewhere.stop()]);
});

const xml = (status: number, content: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/xml", ...headers },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content}<RequestId>B6FB</RequestId></Error>`,
});
const movedWords =
  "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.";

async function get(answer: Answer): Promise<string> {
  server.script([answer]);
  elsewhere.script([]);
  const credential = {
    accessKeyId: "AKIAEXAMPLE",
    secretAccessKey: "canary-secret",
    region: "us-east-1",
    endpoint: server.url,
  };
  const outcome = callTool(getObject, { input: { bucket: "photos", key: "a" }, credential });
  const message = await outcome.then(String, (error: Error) => error.message);
  expect([server.requests().length, elsewhere.requests().length]).toEqual([1, 0]);
  return message;
}

describe("a bucket that is elsewhere", () => {
  it.each<[string, () => Answer, string]>([
    [
      "PermanentRedirect, which has no Location",
      () =>
        xml(
          301,
          `<Code>PermanentRedirect</Code><Message>${movedWords}</Message><Bucket>photos</Bucket><Endpoint>photos.s3.ap-southeast-2.amazonaws.com</Endpoint>`,
          { "x-amz-bucket-region": "ap-southeast-2" },
        ),
      `(301 PermanentRedirect): ${movedWords} The bucket is in the region ap-southeast-2, at s3.ap-southeast-2.amazonaws.com: set them in the credential.`,
    ],
    [
      "PermanentRedirect without the region",
      () => xml(301, `<Code>PermanentRedirect</Code><Message>Moved.</Message><Endpoint>storage.own.test</Endpoint>`),
      "(301 PermanentRedirect): Moved. The bucket is at storage.own.test: set that as the endpoint in the credential.",
    ],
    [
      "TemporaryRedirect, which leads elsewhere",
      () =>
        xml(
          307,
          "<Code>TemporaryRedirect</Code><Message>Please re-send this request to the specified temporary endpoint.</Message><Endpoint>photos.s3.eu-west-1.amazonaws.com</Endpoint><Bucket>photos</Bucket>",
          { location: `${elsewhere.url}/photos/a`, "x-amz-bucket-region": "eu-west-1" },
        ),
      "where this credential is not sent. The bucket is in the region eu-west-1, at s3.eu-west-1.amazonaws.com: set them in the credential.",
    ],
    [
      "AuthorizationHeaderMalformed",
      () =>
        xml(
          400,
          "<Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-central-1'</Message><Region>eu-central-1</Region>",
        ),
      "expecting 'eu-central-1'. The bucket is in the region eu-central-1: set it in the credential.",
    ],
    [
      "AuthorizationHeaderMalformed in words alone",
      () =>
        xml(
          400,
          "<Code>AuthorizationHeaderMalformed</Code><Message>the region 'a' is wrong; expecting 'eu-north-1'</Message>",
        ),
      "The bucket is in the region eu-north-1: set it in the credential.",
    ],
  ])("is told with the right place: %s", async (_name, answer, words) => {
    expect(await get(answer())).toContain(words);
  });

  it("is not spoken of where the bucket is simply not there", async () => {
    const answer = xml(404, "<Code>NoSuchBucket</Code><Message>No.</Message>", { "x-amz-bucket-region": "eu-west-1" });
    expect(await get(answer)).not.toContain("region");
  });
});

import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useBucket } from "../../../test/support/providers/bucket.ts";
import { createActionCall } from "../../calls/action-call.ts";
import { s3Credential } from "./credential.ts";
import { action as deleteObject } from "./delete_object.ts";
import { action as getObject } from "./get_object.ts";
import { action as listObjects } from "./list_objects.ts";
import { action as putObject } from "./put_object.ts";

const credential = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER", region: "eu-west-1", forcePathStyle: false };
const headers = {
  authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=S3RVER\/\d{8}\/eu-west-1\/s3\/aws4_request, /),
};
const failure = {
  answer: {
    status: 404,
    body: '<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>',
  },
  says: /S3 storage refused the call \(404 NoSuchBucket\): The specified bucket does not exist/,
};
const page = (contents: string, more = "") => ({
  body: `<?xml version="1.0"?>\n<ListBucketResult><EncodingType>url</EncodingType>${contents}${more}</ListBucketResult>`,
});
const entry = (key: string) =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;abc&quot;</ETag><Size>5</Size></Contents>`;
const item = (key: string) => ({ key, size: 5, etag: "abc", lastModified: "2026-01-01T00:00:00.000Z" });

describeHttpTool(listObjects, {
  credential,
  failure,
  cases: [
    {
      name: "lists objects",
      input: { bucket: "photos" },
      exchanges: [
        {
          request: { method: "GET", path: "/photos?list-type=2&max-keys=100&encoding-type=url", headers },
          answer: page(entry("a")),
        },
      ],
      items: [item("a")],
    },
    {
      name: "follows pages until the limit and keeps strange keys, prefixes and delimiters",
      input: { bucket: "photos", prefix: "ü &?#/", delimiter: "/", limit: 3 },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/photos?list-type=2&prefix=ü &?#/&delimiter=/&max-keys=3&encoding-type=url",
          },
          answer: page(
            entry("a+b%2Bc%0A%C3%BC") + entry("+x+"),
            "<NextContinuationToken>1/x==</NextContinuationToken>",
          ),
        },
        {
          request: {
            method: "GET",
            path: "/photos?list-type=2&prefix=ü &?#/&delimiter=/&max-keys=1&continuation-token=1/x==&encoding-type=url",
          },
          answer: page(
            "",
            "<CommonPrefixes><Prefix>deep/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>more/</Prefix></CommonPrefixes>",
          ),
        },
      ],
      items: [item("a b+c\nü"), item(" x "), { key: "deep/" }],
    },
    {
      name: "takes keys as they are when the server does not encode them",
      input: { bucket: "photos" },
      exchanges: [
        {
          request: { method: "GET", path: "/photos?list-type=2&max-keys=100&encoding-type=url" },
          answer: { body: `<ListBucketResult>${entry("a+b%20 &amp; &#x27;&amp;#x27;&#39;&lt;")}</ListBucketResult>` },
        },
      ],
      items: [item("a+b%20 & '&#x27;'<")],
    },
  ],
});

describeHttpTool(getObject, {
  credential,
  failure,
  cases: [
    {
      name: "reads a text",
      input: { bucket: "photos", key: "notes/a.txt" },
      exchanges: [
        {
          request: { method: "GET", path: "/photos/notes/a.txt", headers },
          answer: { headers: { "content-type": "text/plain", etag: '"abc"' }, body: "hällo" },
        },
      ],
      items: [{ key: "notes/a.txt", contentType: "text/plain", bytes: 6, content: "hällo", etag: "abc" }],
    },
    {
      name: "reads bytes that are no text",
      input: { bucket: "photos", key: "a" },
      exchanges: [{ request: { method: "GET", path: "/photos/a" }, answer: { body: Buffer.from([255, 0]) } }],
      items: [{ key: "a", bytes: 2, contentBase64: "/wA=" }],
    },
  ],
});

describeHttpTool(putObject, {
  credential,
  failure,
  cases: [
    {
      name: "writes a text",
      input: { bucket: "photos", key: "a", content: "hällo" },
      exchanges: [
        {
          request: {
            method: "PUT",
            path: "/photos/a",
            headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
            body: "hällo",
          },
          answer: { headers: { etag: '"abc"' } },
        },
      ],
      items: [{ key: "a", etag: "abc", bytes: 6 }],
    },
    {
      name: "writes bytes with a type",
      input: { bucket: "photos", key: "b", contentBase64: "aGk=", contentType: "image/png" },
      exchanges: [
        {
          request: { method: "PUT", path: "/photos/b", headers: { "content-type": "image/png" }, body: "hi" },
          answer: {},
        },
      ],
      items: [{ key: "b", bytes: 2 }],
    },
  ],
});

describeHttpTool(deleteObject, {
  credential,
  failure,
  cases: [
    {
      name: "deletes an object",
      input: { bucket: "photos", key: "a" },
      exchanges: [{ request: { method: "DELETE", path: "/photos/a", headers }, answer: { status: 204 } }],
      items: [{ key: "a", deleted: true }],
    },
  ],
});

describe("content", () => {
  const put = (input: Record<string, unknown>) =>
    callTool(putObject, {
      input: { bucket: "photos", key: "a", ...input },
      credential: { ...credential, baseUrl: "http://127.0.0.1:1" },
    });

  it("must be given once, as text or as base64", async () => {
    await expect(put({})).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/content" }] });
    await expect(put({ content: "a", contentBase64: "YQ==" })).rejects.toMatchObject({ code: "validation_failed" });
    await expect(put({ contentBase64: "a b!" })).rejects.toMatchObject({ errors: [{ pointer: "/contentBase64" }] });
  });
});

const awkwardKeys = [
  "ü 😀+&=?#%25/ä",
  "a//b",
  "/leading",
  "trailing/",
  "a b+c",
  "!'()*~@:,;$[]{}|\\^`\"<>",
  "a/.../b",
  "..a/b..",
  "%2e%2e/x",
  "new\nline",
];

describe("against a server", () => {
  const account = useBucket();
  const call = (tool: Parameters<typeof callTool>[0], input: Record<string, unknown>) =>
    callTool(tool, { input: { bucket: "photos", ...input }, credential: account() });

  it("gives back what was stored, lists and deletes it", async () => {
    const [stored] = await call(putObject, { key: "docs/a b+ü.txt", content: "hällo", contentType: "text/markdown" });
    expect(stored).toEqual({ key: "docs/a b+ü.txt", etag: createHash("md5").update("hällo").digest("hex"), bytes: 6 });
    expect(await call(getObject, { key: "docs/a b+ü.txt" })).toEqual([
      { key: "docs/a b+ü.txt", contentType: "text/markdown", bytes: 6, content: "hällo", etag: stored?.etag },
    ]);
    for (const name of ["1", "2", "3"]) await call(putObject, { key: `many/${name}`, content: name });
    expect((await call(listObjects, { prefix: "many/" })).map(({ key }) => key)).toEqual([
      "many/1",
      "many/2",
      "many/3",
    ]);
    expect((await call(listObjects, { delimiter: "/" })).map(({ key }) => key)).toEqual(["docs/", "many/"]);
    expect(await call(listObjects, { prefix: "docs/" })).toMatchObject([
      { key: "docs/a b+ü.txt", size: 6, etag: stored?.etag },
    ]);
    expect(await call(deleteObject, { key: "many/1" })).toEqual([{ key: "many/1", deleted: true }]);
    expect(await call(deleteObject, { key: "many/1" })).toEqual([{ key: "many/1", deleted: true }]);
    await expect(call(getObject, { key: "many/1" })).rejects.toMatchObject({
      provider: { status: 404, code: "NoSuchKey" },
    });
  });

  it("refuses an object over 10 MB", async () => {
    await call(putObject, { key: "large", content: "x".repeat(10 * 1024 * 1024 + 1) });
    await expect(call(getObject, { key: "large" })).rejects.toThrow("larger than 10 MB");
  });

  it("answers the credential's check", async () => {
    const check = (more: Record<string, unknown>) => {
      const data = { ...credential, endpoint: account().endpoint, ...more };
      const parts = {
        organizationId: null,
        provider: "S3 storage",
        input: {},
        credential: { definition: s3Credential, data: () => data },
        isResendable: true,
        idempotencyKey: "1",
      };
      const outside = {
        fetch: (url: string | URL, init = {}) => globalThis.fetch(url, init as RequestInit),
        resolveHost: async (host: string) => host,
        clock: { now: () => new Date() },
      };
      return s3Credential.check?.(createActionCall(outside, { ...parts, signal: AbortSignal.timeout(5000) }));
    };
    await check({});
    await expect(check({ accessKeyId: "nobody" })).rejects.toMatchObject({ provider: { code: "InvalidAccessKeyId" } });
  });
});

describe("the request", () => {
  type Seen = { method: string; url: string; headers: Record<string, string>; body?: Uint8Array };

  async function send(input: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<Seen> {
    let seen: Seen | undefined;
    const data = { ...credential, ...more };
    const fetch = async (url: string | URL, init = {}) => {
      seen = { url: String(url), ...(init as Omit<Seen, "url">) };
      return new Response(null, { status: 200 });
    };
    const outside = { fetch, resolveHost: async (host: string) => host, clock: { now: () => new Date() } };
    const parts = {
      organizationId: null,
      provider: "S3 storage",
      credential: { definition: s3Credential, data: () => data },
      isResendable: true,
      idempotencyKey: "1",
    };
    await putObject.run(
      createActionCall(outside, { ...parts, input: { content: "x", ...input }, signal: AbortSignal.timeout(5000) }),
    );
    if (!seen) throw new Error("nothing was sent");
    return seen;
  }

  it("names the bucket in the host, or in the path when told so or when the host cannot carry it", async () => {
    const address = async (bucket: string, more?: Record<string, unknown>) =>
      (await send({ bucket, key: "/k" }, more)).url;
    expect(await address("photos")).toBe("https://photos.s3.eu-west-1.amazonaws.com//k");
    expect(await address("photos", { endpoint: "https://acc.r2.cloudflarestorage.com/" })).toBe(
      "https://photos.acc.r2.cloudflarestorage.com//k",
    );
    expect(await address("photos", { forcePathStyle: true })).toBe("https://s3.eu-west-1.amazonaws.com/photos//k");
    expect(await address("my.photos")).toBe("https://s3.eu-west-1.amazonaws.com/my.photos//k");
    expect(await address("a/../b")).toBe("https://s3.eu-west-1.amazonaws.com/a%2F..%2Fb//k");
    expect(await address("photos", { endpoint: "http://127.0.0.1:9000" })).toBe("http://127.0.0.1:9000/photos//k");
  });

  it.each([
    "http://minio:9000",
    "http://localhost:9000",
    "https://files.example.test:9000",
    "https://minio.example.test",
    "http://storage",
  ])("names the bucket in the path at %s, where no names lie below the host's", async (endpoint) => {
    expect((await send({ bucket: "photos", key: "k" }, { endpoint })).url).toBe(`${endpoint}/photos/k`);
  });

  it("names the bucket in the host of a service that is known by a name of its own", async () => {
    const { url } = await send({ bucket: "photos", key: "k" }, { endpoint: "https://nyc3.digitaloceanspaces.com" });
    expect(url).toBe("https://photos.nyc3.digitaloceanspaces.com/k");
  });

  it.each([{}, { forcePathStyle: true }, { sessionToken: "token" }])(
    "is signed over what is sent, whatever the key is: %o",
    async (more) => {
      for (const key of awkwardKeys) {
        const request = await send({ bucket: "photos", key }, more);
        expect(request.headers.authorization, key).toBe(expectedAuthorization(request));
        const sent = decodeURIComponent(new URL(request.url).pathname);
        expect(sent.endsWith(`/${key}`), sent).toBe(true);
      }
    },
  );

  it.each(["..", ".", "a/../b", "a/./b", "a/..", "\ud800"])(
    "is not sent for a key that an address cannot carry: %j",
    async (key) => {
      await expect(send({ bucket: "photos", key })).rejects.toMatchObject({
        code: "validation_failed",
        errors: [{ pointer: "/key" }],
      });
    },
  );

  // Written from the published description of Signature Version 4, independent of the library.
  function expectedAuthorization({ method, url, headers, body }: Seen): string {
    const { host, pathname, search } = new URL(url);
    const all: Record<string, string> = { ...headers, host };
    const names = Object.keys(all)
      .filter((name) => name === "host" || name.startsWith("x-amz-"))
      .sort();
    const hash = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
    const mac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
    const lines = names.map((name) => `${name}:${all[name]}\n`).join("");
    const canonical = [method, pathname, search.slice(1), lines, names.join(";"), hash(body ?? "")].join("\n");
    const time = headers["x-amz-date"] ?? "";
    const scope = `${time.slice(0, 8)}/eu-west-1/s3/aws4_request`;
    const key = scope.split("/").reduce<string | Buffer>((previous, part) => mac(previous, part), "AWS4S3RVER");
    const signature = mac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`).toString("hex");
    return `AWS4-HMAC-SHA256 Credential=S3RVER/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  }
});

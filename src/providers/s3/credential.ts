import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import type { ReadFault } from "../../contract/fault.ts";
import type { FinishedRequest } from "../../contract/http.ts";
import { listBuckets } from "./list-buckets.ts";

export const s3Credential = defineCredential({
  type: "s3",
  title: "S3 storage",
  baseUrl: ({ endpoint, region = "us-east-1" }) =>
    typeof endpoint === "string" ? endpoint : `https://s3.${String(region)}.amazonaws.com`,
  variants: {
    custom: withFields(
      "Access key",
      {
        accessKeyId: z.string().min(1).meta({ title: "Access key ID" }),
        secretAccessKey: secret(),
        sessionToken: secret().optional(),
        region: z
          .string()
          .regex(/^[a-z0-9-]{1,64}$/)
          .default("us-east-1"),
        endpoint: z
          .url({ protocol: /^https?$/ })
          .optional()
          .describe("For MinIO, R2 and others."),
        forcePathStyle: z
          .boolean()
          .default(false)
          .describe(
            "Name the bucket in the path instead of in the host name. MinIO and other servers of your own are known by their host.",
          ),
      },
      (data) => ({ sign: async (request) => await sign(data, request) }),
    ),
  },
  readFault,
  check: async ({ http }) => void (await http.text({ path: "/" })),
  choices: { buckets: { load: listBuckets } },
});

type Key = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  region: string;
  forcePathStyle: boolean;
};

/** AWS Signature Version 4 over the request as it goes out, with the bucket in the host name where that is possible. */
async function sign(key: Key, { method, url, headers, body }: FinishedRequest): Promise<FinishedRequest> {
  const { AwsV4Signer } = await import("aws4fetch");
  const target = key.forcePathStyle ? new URL(url) : toVirtualHost(new URL(url));
  // A plus sign stands for a space only in forms, and not every server reads it as one in an address.
  target.search = target.search.replaceAll("+", "%20");
  const { accessKeyId, secretAccessKey, sessionToken, region = "us-east-1" } = key;
  const signer = new AwsV4Signer({
    method,
    url: target.href,
    headers: {
      ...headers,
      "x-amz-content-sha256": createHash("sha256")
        .update(body ?? "")
        .digest("hex"),
    },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: "s3",
    region,
  });
  const signed = await signer.sign();
  return { method, url: target.href, headers: Object.fromEntries(signed.headers), body };
}

// With dots in it no certificate would cover the name, and an address has no names below it.
const isHostLabel = (bucket: string): boolean => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);

/** Whether buckets have names below the host's. A server of one's own, such as MinIO, has them only when somebody set that up. */
function carriesBuckets({ hostname, port }: URL): boolean {
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, "")) !== 0;
  return !isAddress && hostname.includes(".") && port === "" && !/(?:^|[.-])minio(?:[.-]|$)/i.test(hostname);
}

function toVirtualHost(url: URL): URL {
  const [, bucket = "", ...key] = url.pathname.split("/");
  if (!carriesBuckets(url) || !isHostLabel(bucket)) return url;
  return new URL(`${url.protocol}//${bucket}.${url.host}/${key.join("/")}${url.search}`);
}

// S3 answers these with 400 and 403.
const refusedKeys = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "InvalidToken",
  "TokenRefreshRequired",
]);

// These say that the bucket is elsewhere. A HEAD is answered without words, by the status alone.
const elsewhere = new Set(["PermanentRedirect", "TemporaryRedirect", "Redirect", "AuthorizationHeaderMalformed"]);

function readFault(...[body, { status, headers }]: Parameters<ReadFault>): ReturnType<ReadFault> {
  const read = (name: string) =>
    typeof body === "string" ? new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] : undefined;
  const [code, message] = [read("Code"), read("Message")];
  const isElsewhere = elsewhere.has(code ?? "") || status === 301 || status === 307;
  const region =
    read("Region") ?? headers.get("x-amz-bucket-region") ?? /expecting '([a-z0-9-]+)'/.exec(message ?? "")?.[1];
  const place = { region, endpoint: withoutBucket(read("Endpoint"), read("Bucket")) };
  const advice = isElsewhere ? describePlace(place) : undefined;
  return { code, message, isUnauthorized: refusedKeys.has(code ?? ""), ...(advice === undefined ? {} : { advice }) };
}

const withoutBucket = (endpoint: string | undefined, bucket = ""): string | undefined =>
  endpoint?.startsWith(`${bucket}.`) ? endpoint.slice(bucket.length + 1) : endpoint;

/** A signature counts for one region, so no other place is tried by itself. */
function describePlace({
  region,
  endpoint,
}: {
  region: string | undefined;
  endpoint: string | undefined;
}): string | undefined {
  if (region && endpoint) return `The bucket is in the region ${region}, at ${endpoint}: set them in the credential`;
  if (region) return `The bucket is in the region ${region}: set it in the credential`;
  return endpoint ? `The bucket is at ${endpoint}: set that as the endpoint in the credential` : undefined;
}

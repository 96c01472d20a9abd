import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "../../test/support/gateway/call-tool.ts";
import { type FakeProvider, startFakeProvider } from "../../test/support/providers/fake-provider.ts";
import { createAddressRules } from "../base/address-rules.ts";
import { createSafeFetch } from "../base/safe-fetch.ts";
import { action as createIssue } from "../providers/github/create_issue.ts";
import { action as getFile } from "../providers/github/get_file.ts";
import { action as readFeed } from "../providers/http/read_feed.ts";
import { action as listObjects } from "../providers/s3/list_objects.ts";
import { createHttp } from "./http.ts";

const secret = "ghp_secret-of-redirects";
let provider: FakeProvider;
let other: FakeProvider;

beforeAll(async () => {
  [provider, other] = await Promise.all([startFakeProvider(), startFakeProvider()]);
});
beforeEach(() => {
  provider.script([]);
  other.script([{ json: {} }]);
});
afterAll(() => Promise.all([provider.stop(), other.stop()]));

const moved = (location: string, status = 301) => ({
  status,
  headers: { location },
  json: {
    message: "Moved Permanently",
    url: location,
    documentation_url: "https://docs.github.test/v3/#http-redirects",
  },
});
const file = { json: { path: "README.md", type: "file", sha: "a1", size: 2, content: "aGk=", encoding: "base64" } };
const account = () => ({ kind: "bearer", accessToken: secret, baseUrl: provider.url });
const read = (input = {}) =>
  callTool(getFile, { input: { owner: "old", repo: "name", path: "README.md", ...input }, credential: account() });

describe("a renamed repository", () => {
  it.each([301, 302, 303, 307, 308])("is read where GitHub says it is now (%i), with the token", async (status) => {
    provider.script([moved(`${provider.url}/repositories/1300192/contents/README.md?ref=main`, status), file]);
    expect(await read({ ref: "main" })).toMatchObject([{ content: "hi" }]);
    expect(provider.requests().map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/repos/old/name/contents/README.md?ref=main", `Bearer ${secret}`],
      ["/repositories/1300192/contents/README.md?ref=main", `Bearer ${secret}`],
    ]);
  });

  it("may be named by a path alone", async () => {
    provider.script([moved("/repositories/1300192/contents/README.md"), file]);
    expect(await read()).toMatchObject([{ content: "hi" }]);
  });

  it("is not written to: nothing is sent twice, and the message says where it went", async () => {
    provider.script([moved(`${provider.url}/repositories/1/issues`, 307)]);
    const outcome = callTool(createIssue, { input: { owner: "old", repo: "name", title: "x" }, credential: account() });
    await expect(outcome).rejects.toThrow(`It has moved to ${provider.url}/repositories/1/issues.`);
    expect(provider.requests()).toHaveLength(1);
  });
});

describe("no credential follows a redirect", () => {
  const port = () => new URL(other.url).port;
  it.each([
    ["to another port", () => `${other.url}/steal`],
    ["to another name of the same machine", () => `http://localhost:${new URL(provider.url).port}/steal`],
    ["to another address", () => `http://127.0.0.2:${port()}/steal`],
    ["to another scheme", () => provider.url.replace("http:", "https:")],
    ["to a scheme that is not of the web", () => "file:///etc/passwd"],
    ["to a scheme that has the same origin all the same", () => `blob:${provider.url}/steal`],
    ["to an address without a scheme", () => `//127.0.0.1:${port()}/steal`],
    ["that hides the other host behind a backslash", () => `/\\127.0.0.1:${port()}/steal`],
    ["that hides the other host behind a user name", () => `http://127.0.0.1@127.0.0.1:${port()}/`],
    ["to no address at all", () => "http://"],
  ])("%s", async (_, location) => {
    provider.script([moved(location())]);
    const failure = (await read().catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ name: "Refusal", code: "provider_error" });
    expect(failure.message).not.toContain("steal");
    expect([provider.requests().length, other.requests().length]).toEqual([1, 0]);
  });

  it("that leads elsewhere only at its second step", async () => {
    provider.script([moved(`${provider.url}/next`), moved(`${other.url}/steal`)]);
    await expect(read()).rejects.toMatchObject({ code: "provider_error" });
    expect([provider.requests().length, other.requests().length]).toEqual([2, 0]);
  });

  it("whose request is signed for one address", async () => {
    provider.script([moved(`${provider.url}/steal`, 307)]);
    const keys = {
      accessKeyId: "AKIA",
      secretAccessKey: secret,
      region: "eu-west-1",
      endpoint: provider.url,
      forcePathStyle: true,
    };
    await expect(callTool(listObjects, { input: { bucket: "b" }, credential: keys })).rejects.toMatchObject({
      code: "provider_error",
    });
    expect(provider.requests()).toHaveLength(1);
  });

  it("with a user name of the redirect's choice", async () => {
    provider.script([moved(provider.url.replace("http://", "http://eve:secret@")), file]);
    await expect(read()).rejects.toMatchObject({ code: "outbound_refused" });
    expect(provider.requests()).toHaveLength(1);
  });

  it("in a circle: it ends after a few", async () => {
    provider.script(Array.from({ length: 30 }, () => moved(`${provider.url}/repos/old/name/contents/README.md`)));
    await expect(read()).rejects.toMatchObject({
      code: "outbound_refused",
      message: expect.stringContaining("more than 5 times"),
    });
    expect(provider.requests()).toHaveLength(6);
  });

  it("to an address that a name has turned to in the meantime: every step is judged anew", async () => {
    const { port: here } = new URL(provider.url);
    const answers = [[{ address: "127.0.0.1", family: 4 }], [{ address: "127.0.0.9", family: 4 }]];
    const fetch = createSafeFetch({
      addressRules: createAddressRules({ allowedCidrs: ["127.0.0.1/32"] }),
      lookup: async () => answers.shift() ?? [],
    });
    const options = {
      provider: "Example",
      headers: {},
      isRepeatable: false,
      signal: AbortSignal.timeout(5000),
      readFault: () => ({}),
    };
    const authorize = () => ({ headers: { authorization: `Bearer ${secret}` } });
    const http = createHttp({ ...options, fetch, authorize, baseUrl: `http://api.provider.test:${here}` });
    provider.script([{ ...moved("/next"), headers: { location: "/next", connection: "close" } }, file]);
    await expect(http.json({ path: "/first" })).rejects.toMatchObject({ code: "outbound_refused" });
    expect(provider.requests()).toHaveLength(1);
    await fetch.close();
  });
});

describe("a secret in the query", () => {
  const credential = () => ({ authKind: "query", name: "key", secret, baseUrl: provider.url });
  const feed = { json: { version: "https://jsonfeed.org/version/1.1", title: "t", items: [{ id: "1" }] } };

  it("is sent once to the place a redirect names, also when that repeats it", async () => {
    provider.script([moved(`${provider.url}/new.json?key=${secret}&page=2`), feed]);
    await callTool(readFeed, { input: { url: `${provider.url}/old.json?page=1` }, credential: credential() });
    expect(provider.requests().map(({ path }) => path)).toEqual([
      `/old.json?page=1&key=${secret}`,
      `/new.json?page=2&key=${secret}`,
    ]);
  });

  it("does not go along to another origin", async () => {
    provider.script([moved(`${other.url}/feed.json`)]);
    other.script([feed]);
    await callTool(readFeed, { input: { url: `${provider.url}/old.json` }, credential: credential() });
    expect(other.requests().map(({ path }) => path)).toEqual(["/feed.json"]);
  });

  it("does not go along either when the redirect repeats it, under its name or another", async () => {
    provider.script([moved(`${other.url}/feed.json?key=${secret}&page=2&copy=${secret}&key=more`)]);
    other.script([feed]);
    await callTool(readFeed, { input: { url: `${provider.url}/old.json` }, credential: credential() });
    expect(other.requests().map(({ path }) => path)).toEqual(["/feed.json?page=2"]);
  });

  it("leaves an address of another origin as it is where it is not repeated", async () => {
    provider.script([moved(`${other.url}/feed.json?a=x%20y&sig=%2B~`)]);
    other.script([feed]);
    await callTool(readFeed, { input: { url: `${provider.url}/old.json` }, credential: credential() });
    expect(other.requests().map(({ path }) => path)).toEqual(["/feed.json?a=x%20y&sig=%2B~"]);
  });
});

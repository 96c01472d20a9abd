import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { action as readFeed } from "./read_feed.ts";
import { action as request } from "./request.ts";

let server: FakeProvider;
let elsewhere: FakeProvider;
beforeAll(async () => {
  server = await startFakeProvider();
  elsewhere = await startFakeProvider();
});
beforeEach(() => {
  server.script([]);
  elsewhere.script([]);
});
afterAll(async () => {
  await server.stop();
  await elsewhere.stop();
});

const open = { authKind: "none" };
const bearer = { authKind: "bearer", secret: "s3cret" };
const here = () => ({ baseUrl: server.url });

async function send(
  input: Record<string, unknown>,
  { answers = [{ json: {} }], credential = open }: { answers?: Answer[]; credential?: object } = {},
) {
  server.script(answers);
  const [item] = await callTool(request, {
    input: { url: `${server.url}/x`, ...input },
    credential: { ...credential },
  });
  return item;
}

const seen = () =>
  server.requests().map(({ method, path, headers, body }) => ({ method, path, headers, body: body.toString() }));

describe("http_request", () => {
  it("returns status, headers and parsed JSON", async () => {
    const answers = [
      {
        status: 201,
        headers: { "x-more": "1", "content-type": "application/problem+json; charset=utf-8" },
        body: '{"a":["ü"]}',
      },
    ];
    expect(await send({}, { answers })).toEqual({
      status: 201,
      headers: expect.objectContaining({ "x-more": "1" }),
      body: { a: ["ü"] },
      contentType: "application/problem+json; charset=utf-8",
    });
    expect(seen()).toMatchObject([{ method: "GET", path: "/x", body: "" }]);
  });

  it.each([
    ["text as it is", { headers: { "content-type": "text/html" }, body: "<p>ü</p>" }, "<p>ü</p>"],
    [
      "text in its own encoding",
      { headers: { "content-type": "text/plain; charset=ISO-8859-1" }, body: Buffer.from([0xfc]) },
      "ü",
    ],
    [
      "text in an encoding nobody knows",
      { headers: { "content-type": "text/plain; charset=klingon" }, body: "a" },
      "a",
    ],
    ["JSON that is broken as text", { headers: { "content-type": "application/json" }, body: "{" }, "{"],
    [
      "bytes that are no text as base64",
      { headers: { "content-type": "image/png" }, body: Buffer.from([0x89, 0xff]) },
      "if8=",
    ],
    ["nothing as nothing", { status: 204 }, undefined],
  ])("returns %s", async (_name, answer: Answer, body) => {
    expect((await send({}, { answers: [answer] }))?.body).toEqual(body);
  });

  it("returns a failure of the server as its answer", async () => {
    for (const status of [404, 429, 500]) {
      expect(await send({}, { answers: [{ status, json: { message: "no" } }] })).toMatchObject({
        status,
        body: { message: "no" },
      });
      expect(server.requests()).toHaveLength(1);
    }
  });

  it("keeps every cookie", async () => {
    const answers = [{ headers: { "set-cookie": ["a=1", "b=2"] as unknown as string }, body: "x" }];
    expect(await send({}, { answers })).toMatchObject({ headers: { "set-cookie": "a=1\nb=2" } });
  });

  it.each([
    ["JSON", { body: { a: "ü" } }, '{"a":"ü"}', "application/json"],
    ["a JSON text", { body: "hi" }, '"hi"', "application/json"],
    ["null", { body: null }, "null", "application/json"],
    ["text", { body: "hi\nü", bodyType: "text" }, "hi\nü", undefined],
    [
      "a form",
      { body: { a: "x y", b: [1, true] }, bodyType: "form" },
      "a=x+y&b=1&b=true",
      "application/x-www-form-urlencoded",
    ],
    [
      "its own content type",
      { body: { a: 1 }, headers: { "Content-Type": "application/vnd.x+json" } },
      '{"a":1}',
      "application/vnd.x+json",
    ],
  ])("sends %s", async (_name, input, body, contentType) => {
    await send({ method: "POST", ...input });
    expect(seen()).toMatchObject([
      { method: "POST", body, ...(contentType ? { headers: { "content-type": contentType } } : {}) },
    ]);
  });

  it("sends query values and headers, and keeps the address as it is", async () => {
    await send({ url: `${server.url}/a%2Fb/%C3%BC?q=a%20b&z#part`, headers: { "X-One": "1", "X-Two": 2 } });
    expect(seen()).toMatchObject([{ path: "/a%2Fb/%C3%BC?q=a%20b&z", headers: { "x-one": "1", "x-two": "2" } }]);
    await send({ url: `${server.url}/x?a=1`, query: { b: "ü&=", list: [1, 2], none: null, yes: true } });
    expect(seen()).toMatchObject([{ path: "/x?a=1&b=%C3%BC%26%3D&list=1&list=2&yes=true" }]);
  });

  it.each([
    [{ url: "/relative" }, "/url"],
    [{ url: "ftp://example.com/x" }, "/url"],
    [{ url: "http://user:pass@example.com/" }, "/url"],
    [{ body: "x" }, "/body"],
    [{ method: "POST", body: "x", bodyType: "form" }, "/body"],
    [{ query: { a: { b: 1 } } }, "/query/a"],
    [{ headers: { a: ["b"] } }, "/headers/a"],
    [{ timeoutSeconds: 0 }, "/timeoutSeconds"],
  ])("refuses %j", async (input, pointer) => {
    await expect(send(input)).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
    expect(server.requests()).toHaveLength(0);
  });

  it("refuses headers that are not for the caller, without quoting them", async () => {
    await expect(send({ headers: { Host: "inside" } })).rejects.toMatchObject({ code: "outbound_refused" });
    await expect(send({ headers: { "x-a": "s3cret\r\nx: y" } })).rejects.toThrow(
      "A header of the request is not valid.",
    );
  });

  it.each([
    [
      { authKind: "basic", username: "ann", secret: "pä:ss" },
      { authorization: `Basic ${Buffer.from("ann:pä:ss").toString("base64")}` },
    ],
    [bearer, { authorization: "Bearer s3cret" }],
    [{ authKind: "header", name: "X-Api-Key", secret: "s3cret" }, { "x-api-key": "s3cret" }],
  ])("authenticates with %j", async (credential, headers) => {
    await send({}, { credential: { ...credential, ...here() } });
    expect(seen()).toMatchObject([{ headers }]);
  });

  it("authenticates with a query value", async () => {
    await send({ query: { a: 1 } }, { credential: { authKind: "query", name: "key", secret: "s&cret", ...here() } });
    expect(seen()).toMatchObject([{ path: "/x?a=1&key=s%26cret" }]);
  });

  it("refuses a credential that does not say where its secret goes", async () => {
    for (const authKind of ["header", "query"]) {
      await expect(send({}, { credential: { authKind, secret: "s3cret", ...here() } })).rejects.toMatchObject({
        code: "validation_failed",
      });
    }
  });

  it.each(["basic", "bearer", "header", "query"])(
    "sends the secret of a %s credential without a base URL nowhere",
    async (authKind) => {
      const credential = { authKind, username: "ann", name: "x-key", secret: "s3cret" };
      await expect(send({}, { credential })).rejects.toMatchObject({ code: "outbound_refused" });
      await expect(callTool(readFeed, { input: { url: server.url }, credential })).rejects.toMatchObject({
        code: "outbound_refused",
      });
      expect(server.requests()).toHaveLength(0);
    },
  );

  it("uses a credential only with the origin of its base URL", async () => {
    const credential = { ...bearer, baseUrl: `${server.url}/v1` };
    expect(await send({ url: `${server.url}/v2/x` }, { credential })).toMatchObject({ status: 200 });
    const outcome = send({ url: `${elsewhere.url}/x` }, { credential });
    await expect(outcome).rejects.toMatchObject({
      code: "outbound_refused",
      message: `This credential may only be used with ${server.url}.`,
    });
    expect(elsewhere.requests()).toHaveLength(0);
  });

  it("follows redirects within the origin with the credential and without the query", async () => {
    const answers = [{ status: 302, headers: { location: "/next?b=2" } }, { json: { there: true } }];
    expect(await send({ query: { a: 1 } }, { answers, credential: { ...bearer, ...here() } })).toMatchObject({
      status: 200,
      body: { there: true },
    });
    expect(seen()).toMatchObject([
      { path: "/x?a=1" },
      { path: "/next?b=2", headers: { authorization: "Bearer s3cret" } },
    ]);
  });

  it.each([
    [bearer],
    [{ authKind: "header", name: "x-secret", secret: "s3cret" }],
    [{ authKind: "query", name: "key", secret: "s3cret" }],
  ])("follows redirects to another origin without the credential %j", async (credential) => {
    elsewhere.script([{ json: { there: true } }]);
    const answers = [{ status: 307, headers: { location: `${elsewhere.url}/file` } }];
    const input = { headers: { accept: "application/json", "x-own": "s3cret" } };
    expect(await send(input, { answers, credential: { ...credential, baseUrl: server.url } })).toMatchObject({
      body: { there: true },
    });
    expect(elsewhere.requests()).toMatchObject([{ path: "/file", headers: { accept: "application/json" } }]);
    expect(JSON.stringify(elsewhere.requests())).not.toContain("s3cret");
  });

  it("does not follow a redirect into a place that must not be reached", async () => {
    const answers = [{ status: 302, headers: { location: "http://169.254.169.254/latest/meta-data" } }];
    await expect(send({}, { answers })).rejects.toMatchObject({ code: "outbound_refused" });
    await expect(
      send({}, { answers: [{ status: 302, headers: { location: "file:///etc/passwd" } }] }),
    ).rejects.toMatchObject({
      code: "outbound_refused",
    });
  });

  it("gives up a redirect without end", async () => {
    const answers = Array.from({ length: 7 }, () => ({ status: 302, headers: { location: "/x" } }));
    await expect(send({}, { answers })).rejects.toMatchObject({
      code: "outbound_refused",
      message: expect.stringContaining("more than 5 times"),
    });
    expect(server.requests()).toHaveLength(6);
  });

  it("returns a redirect of a request that has an effect instead of following it", async () => {
    const answers = [{ status: 303, headers: { location: "/done" } }];
    expect(await send({ method: "POST" }, { answers })).toMatchObject({ status: 303, headers: { location: "/done" } });
    expect(server.requests()).toHaveLength(1);
  });

  it("takes five megabytes and refuses more", async () => {
    const size = 5 * 1024 * 1024;
    expect(String((await send({}, { answers: [{ body: "x".repeat(size) }] }))?.body)).toHaveLength(size);
    await expect(send({}, { answers: [{ body: "x".repeat(size + 1) }] })).rejects.toMatchObject({
      code: "outbound_refused",
      message: expect.stringContaining("larger than 5 MB"),
    });
  });

  it("gives up after the time limit", async () => {
    await expect(send({ timeoutSeconds: 1 }, { answers: [{ hang: true }] })).rejects.toMatchObject({
      code: "outbound_timeout",
    });
  });

  it("breaks off when it is aborted", async () => {
    server.script([{ hang: true }]);
    const abort = new AbortController();
    const outcome = callTool(request, { input: { url: server.url }, credential: open, signal: abort.signal });
    await expect.poll(() => server.requests().length).toBe(1);
    abort.abort(new Error("enough"));
    await expect(outcome).rejects.toThrow("enough");
    await expect.poll(() => server.brokenOff()).toBe(1);
  });

  it("repeats a dropped request only when it reads", async () => {
    expect(await send({}, { answers: [{ drop: true }, { json: {} }] })).toMatchObject({ status: 200 });
    await expect(send({ method: "POST" }, { answers: [{ drop: true }, { json: {} }] })).rejects.toMatchObject({
      code: "provider_unreachable",
    });
    expect(server.requests()).toHaveLength(1);
  });
});

const rss = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>Channel</title><link>https://blog.example</link><atom:link href="https://blog.example/feed" rel="self"/>
<item><title>A &amp; B &copy; &#x1F600;</title><link>/posts/1</link><guid isPermaLink="false">tag:1</guid>
<pubDate>Tue, 10 Jun 2025 04:00:00 GMT</pubDate><dc:creator>Ann</dc:creator><media:title>not this</media:title>
<description><![CDATA[<p>Hi & bye</p>]]></description></item>
<item><title>Two</title><guid>https://blog.example/posts/2</guid><author>bob@example.com (Bob)</author><pubDate>someday</pubDate><description></description></item>
</channel></rss>`;

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><author><name>Editor</name></author>
<entry><id>urn:1</id><title type="html">A &lt;b&gt;bold&lt;/b&gt;</title><link rel="self" href="https://a.example/self"/><link href="posts/1"/>
<published>2025-06-10T04:00:00+02:00</published><updated>2025-07-01T00:00:00Z</updated><author><name>Ann</name></author>
<summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Hello <b>dear</b> you</div></summary></entry>
<entry><id>urn:2</id><title>Two</title><link rel="enclosure" href="https://a.example/2.mp3"/><updated>2025-07-01T00:00:00Z</updated><content>Words</content></entry></feed>`;

const prefixed = `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>urn:1</a:id><a:title>One</a:title><a:link href="/1"/></a:entry></a:feed>`;

const rdf = `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://r.example/"><title>C</title><items><rdf:Seq><rdf:li resource="https://r.example/1"/></rdf:Seq></items></channel>
<item rdf:about="https://r.example/1"><title>One</title><link>https://r.example/1</link><description>D</description><dc:creator>Ann</dc:creator><dc:date>2025-06-10T04:00:00Z</dc:date></item></rdf:RDF>`;

const jsonFeed = {
  version: "https://jsonfeed.org/version/1.1",
  title: "Feed",
  authors: [{ name: "Editor" }],
  items: [
    {
      id: "1",
      url: "https://j.example/1",
      title: "One",
      summary: "S",
      content_text: "C",
      date_published: "2025-06-10T04:00:00-07:00",
      authors: [{ name: "Ann" }],
    },
    { id: 2, external_url: "/2", content_html: "<p>two</p>" },
  ],
};

async function feed(answer: Answer, input: Record<string, unknown> = {}) {
  server.script([answer]);
  return await callTool(readFeed, { input: { url: `${server.url}/blog/feed`, ...input }, credential: open });
}

describe("http_read_feed", () => {
  it("reads RSS 2.0", async () => {
    expect(await feed({ headers: { "content-type": "application/rss+xml" }, body: rss })).toEqual([
      {
        id: "tag:1",
        title: "A & B © 😀",
        url: `${server.url}/posts/1`,
        published: "2025-06-10T04:00:00.000Z",
        author: "Ann",
        summary: "<p>Hi & bye</p>",
      },
      {
        id: "https://blog.example/posts/2",
        title: "Two",
        url: "https://blog.example/posts/2",
        published: "someday",
        author: "bob@example.com (Bob)",
      },
    ]);
    expect(seen()).toMatchObject([
      { method: "GET", path: "/blog/feed", headers: { accept: expect.stringContaining("application/rss+xml") } },
    ]);
  });

  it("reads Atom, also with a prefix", async () => {
    expect(await feed({ body: atom })).toEqual([
      {
        id: "urn:1",
        title: "A <b>bold</b>",
        url: `${server.url}/blog/posts/1`,
        published: "2025-06-10T02:00:00.000Z",
        author: "Ann",
        summary: "Hello dear you",
      },
      {
        id: "urn:2",
        title: "Two",
        url: "https://a.example/2.mp3",
        published: "2025-07-01T00:00:00.000Z",
        author: "Editor",
        summary: "Words",
      },
    ]);
    expect(await feed({ body: prefixed })).toEqual([{ id: "urn:1", title: "One", url: `${server.url}/1` }]);
  });

  it("reads RSS 1.0", async () => {
    expect(await feed({ body: rdf })).toEqual([
      {
        id: "https://r.example/1",
        title: "One",
        url: "https://r.example/1",
        published: "2025-06-10T04:00:00.000Z",
        author: "Ann",
        summary: "D",
      },
    ]);
  });

  it("reads JSON Feed", async () => {
    expect(await feed({ json: jsonFeed })).toEqual([
      {
        id: "1",
        title: "One",
        url: "https://j.example/1",
        published: "2025-06-10T11:00:00.000Z",
        author: "Ann",
        summary: "S",
      },
      { id: "2", url: `${server.url}/2`, author: "Editor", summary: "<p>two</p>" },
    ]);
  });

  it("returns no more than the limit", async () => {
    expect(await feed({ body: rss }, { limit: 1 })).toHaveLength(1);
  });

  it("reads a feed without items", async () => {
    expect(await feed({ body: "<rss><channel><title>x</title></channel></rss>" })).toEqual([]);
  });

  it("reads the encoding the document names, and a byte order mark", async () => {
    const latin = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><item><title>Grün</title></item></channel></rss>',
      "latin1",
    );
    expect(await feed({ body: latin })).toEqual([{ title: "Grün" }]);
    expect(await feed({ body: `\ufeff${prefixed}` })).toHaveLength(1);
    expect(await feed({ body: `\ufeff${JSON.stringify(jsonFeed)}` })).toHaveLength(2);
  });

  it("reads nothing outside the document", async () => {
    const body = `<!DOCTYPE rss [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY web SYSTEM "${elsewhere.url}/x">]><rss><channel><item><title>&file;&web;|</title></item></channel></rss>`;
    const outcome = await feed({ body }).catch((error: unknown) => error);
    expect(JSON.stringify(outcome)).not.toContain("root:");
    expect(elsewhere.requests()).toHaveLength(0);
  });

  it("does not let entities grow without end", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`,
    ).join("");
    const body = `<!DOCTYPE rss [<!ENTITY e0 "lol">${levels}]><rss><channel><item><title>&e12;</title></item></channel></rss>`;
    const outcome = await feed({ body }).catch((error: unknown) => error);
    expect(JSON.stringify(outcome).length).toBeLessThan(10_000);
    const long = `<!DOCTYPE rss [<!ENTITY a "${"x".repeat(900)}">]><rss><channel><item><title>${"&a;".repeat(100_000)}</title></item></channel></rss>`;
    await expect(feed({ body: long })).rejects.toMatchObject({ code: "provider_error" });
  });

  it("reads elements and attributes with the names of object members", async () => {
    const body =
      '<rss><channel><item><__proto__><title>x</title></__proto__><constructor>y</constructor><title toString="1" __proto__="2">T</title></item></channel></rss>';
    const outcome = await feed({ body }).catch((error: unknown) => error);
    if (Array.isArray(outcome)) expect(outcome).toEqual([{ title: "T" }]);
    else expect(outcome).toMatchObject({ code: "provider_error" });
    expect(({} as Record<string, unknown>).title).toBeUndefined();
  });

  it.each([["<html><body>Hi</body></html>"], ["hello"], ["{"], ['{"items":5}'], [""]])(
    "says that %j is not a feed",
    async (body) => {
      await expect(feed({ body })).rejects.toMatchObject({
        code: "provider_error",
        message: "HTTP refused the call: the answer is not an RSS, Atom or JSON feed.",
      });
    },
  );

  it("reports a failure of the server, also behind a redirect", async () => {
    await expect(feed({ status: 404, json: { message: "gone" } })).rejects.toThrow("HTTP refused the call (404): gone");
    elsewhere.script([{ status: 410 }]);
    await expect(feed({ status: 301, headers: { location: `${elsewhere.url}/f` } })).rejects.toThrow(
      "HTTP refused the call (410).",
    );
  });

  it("waits and repeats after 429, and repeats a dropped request", async () => {
    const waits: number[] = [];
    server.script([{ status: 429, headers: { "retry-after": "7" } }, { drop: true }, { body: rss }]);
    expect(await callTool(readFeed, { input: { url: server.url }, credential: open, waits })).toHaveLength(2);
    expect(waits[0]).toBe(7000);
  });

  it("uses a credential only with its origin and follows redirects without it", async () => {
    elsewhere.script([{ body: rss }]);
    server.script([{ status: 301, headers: { location: `${elsewhere.url}/moved` } }]);
    const credential = { ...bearer, baseUrl: server.url };
    expect(await callTool(readFeed, { input: { url: `${server.url}/f` }, credential })).toHaveLength(2);
    expect(seen()).toMatchObject([{ headers: { authorization: "Bearer s3cret" } }]);
    expect(elsewhere.requests()[0]?.headers.authorization).toBeUndefined();
    await expect(callTool(readFeed, { input: { url: elsewhere.url }, credential })).rejects.toMatchObject({
      code: "outbound_refused",
    });
  });

  it("refuses an address that is none", async () => {
    await expect(feed({}, { url: "blog" })).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/url" }],
    });
  });
});

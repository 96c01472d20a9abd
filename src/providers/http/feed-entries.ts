import { providerFailure } from "../../contract/http.ts";
import { at, listAt, recordAt, textAt } from "../../contract/read.ts";
import { charsetOf, decodeText, openAddress, readBody } from "./client.ts";

const accept =
  "application/feed+json, application/rss+xml, application/atom+xml, application/rdf+xml, application/json;q=0.9, application/xml;q=0.9, */*;q=0.5";

export async function readFeed(address: string, outside: Parameters<typeof openAddress>[2]): Promise<FeedItem[]> {
  const { response, url } = await openAddress(address, { headers: { accept } }, outside);
  if (!response.ok) throw providerFailure("HTTP", { status: response.status });
  const bytes = await readBody(response, url.hostname);
  const declared = /^[^>]{0,200}?encoding\s*=\s*["']([\w-]+)["']/.exec(bytes.subarray(0, 300).toString("latin1"))?.[1];
  return await parseFeed(decodeText(bytes, charsetOf(response.headers.get("content-type")) ?? declared), url);
}

export type FeedItem = {
  id?: string;
  title?: string;
  url?: string;
  published?: string;
  author?: string;
  summary?: string;
};

/** The items of an RSS 2.0, RSS 1.0, Atom or JSON feed. Relative links are read as seen from the feed's address. */
async function parseFeed(text: string, feedUrl: URL): Promise<FeedItem[]> {
  const items = text.trimStart().startsWith("{") ? readJsonFeed(parseJson(text)) : readXmlFeed(await parseXml(text));
  return items.map(({ url, published, ...item }) =>
    leaveOutEmpty({
      ...item,
      id: item.id ?? url,
      url: url && (URL.parse(url, feedUrl.href)?.href ?? url),
      published: published && toIsoTime(published),
    }),
  );
}

type Found = { [Name in keyof FeedItem]: string | undefined };

const notAFeed = () => providerFailure("HTTP", { message: "the answer is not an RSS, Atom or JSON feed" });

function readJsonFeed(feed: unknown): Found[] {
  if (!Array.isArray(at(feed, "items"))) throw notAFeed();
  return listAt(feed, "items").map((item) => ({
    id: textAt(item, "id"),
    title: textAt(item, "title"),
    url: textAt(item, "url") ?? textAt(item, "external_url"),
    published: textAt(item, "date_published") ?? textAt(item, "date_modified"),
    author: authorOf(item) ?? authorOf(feed),
    summary: textAt(item, "summary") ?? textAt(item, "content_text") ?? textAt(item, "content_html"),
  }));
}

const authorOf = (entry: unknown) => textAt(entry, "authors", 0, "name") ?? textAt(entry, "author", "name");

/** One element: its name, its attributes and what is in it, in order. */
type Element = { name: string; attributes: Record<string, unknown>; children: (Element | string)[] };

function readXmlFeed(document: Element): Found[] {
  const root = elementsOf(document)[0];
  const [prefix, name] = root?.name.includes(":")
    ? [root.name.slice(0, root.name.indexOf(":") + 1), root.name.split(":")[1]]
    : ["", root?.name];
  if (root && name === "rss") return find(root, "channel").flatMap((channel) => find(channel, "item").map(readRssItem));
  if (root && name === "RDF") return find(root, "item").map(readRssItem);
  if (root && name === "feed") return find(root, `${prefix}entry`).map((entry) => readAtomEntry(entry, root, prefix));
  throw notAFeed();
}

function readRssItem(item: Element): Found {
  const guid = find(item, "guid")[0];
  const isLink = guid !== undefined && textAt(guid.attributes, "isPermaLink") !== "false";
  return {
    id: textIn(item, "guid") ?? textAt(item.attributes, "rdf:about"),
    title: textIn(item, "title"),
    url: textIn(item, "link") ?? (isLink ? textIn(item, "guid") : undefined),
    published: textIn(item, "pubDate") ?? textIn(item, "dc:date"),
    author: textIn(item, "author") ?? textIn(item, "dc:creator"),
    summary: textIn(item, "description") ?? textIn(item, "content:encoded"),
  };
}

function readAtomEntry(entry: Element, feed: Element, prefix: string): Found {
  const inEntry = (name: string) => textIn(entry, prefix + name);
  const authors = [...find(entry, `${prefix}author`), ...find(feed, `${prefix}author`)];
  const links = find(entry, `${prefix}link`).map(({ attributes }) => attributes);
  const link = links.find((attributes) => (textAt(attributes, "rel") ?? "alternate") === "alternate") ?? links[0];
  return {
    id: inEntry("id"),
    title: inEntry("title"),
    url: textAt(link, "href"),
    published: inEntry("published") ?? inEntry("updated"),
    author: authors.map((author) => textIn(author, `${prefix}name`)).find((name) => name !== undefined),
    summary: inEntry("summary") ?? inEntry("content"),
  };
}

const elementsOf = ({ children }: Element) => children.filter((child) => typeof child !== "string");

const find = (parent: Element, name: string) => elementsOf(parent).filter((child) => child.name === name);

function textIn(parent: Element, name: string): string | undefined {
  const text = find(parent, name).map(textOf)[0]?.trim();
  return text === "" ? undefined : text;
}

const textOf = (element: Element): string =>
  element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");

/** Entities of the document itself are expanded within limits; nothing outside the document is ever read. */
async function parseXml(text: string): Promise<Element> {
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    htmlEntities: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    processEntities: {
      enabled: true,
      maxEntitySize: 1000,
      maxEntityCount: 50,
      maxTotalExpansions: 200_000,
      maxExpandedLength: 5_000_000,
    },
  });
  try {
    return { name: "", attributes: {}, children: toChildren(parser.parse(text)) };
  } catch {
    throw notAFeed();
  }
}

function toChildren(nodes: unknown): (Element | string)[] {
  return listAt(nodes).flatMap((node): (Element | string)[] => {
    const name = Object.keys(node as object).find((key) => key !== ":@");
    if (name === undefined) return [];
    if (name === "#text") return [textAt(node, name) ?? ""];
    return [{ name, attributes: recordAt(node, ":@") ?? {}, children: toChildren(at(node, name)) }];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw notAFeed();
  }
}

function toIsoTime(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

const leaveOutEmpty = (item: Found): FeedItem =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined && value !== ""));

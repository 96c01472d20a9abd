import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import type { Provider } from "../../src/contract/provider.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";

const folder = path.resolve(import.meta.dirname, "../../docs/services");
const pages = globSync("*.md", { cwd: folder }).filter((name) => name !== "README.md");
const needed = ["What to create", "Tokens", "Limits", "Tools", "Triggers", "Last checked"];
const redirect = "{PLATFORM_API_BASE_URL}/api/oauth/callback";

const idOf = (page: string): string => page.replace(/\.md$/, "");
const readPage = (name: string): string => readFileSync(path.join(folder, name), "utf8");

/** The texts below the headings of a page. */
function sectionsOf(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n")).trim()]));
}

/** What is missing on a page, in words. */
function findMissing(text: string): string[] {
  const sections = sectionsOf(text);
  const missing = needed.filter((heading) => !sections.get(heading));
  const isDated = /\b20\d\d-\d\d-\d\d\b/.test(sections.get("Last checked") ?? "");
  return [...missing, ...(isDated ? [] : ["a day in Last checked"])];
}

/** What a page does not say of its provider. */
function findUntold(text: string, { credential, polls, webhook }: Provider): string[] {
  const sections = sectionsOf(text);
  const triggers = sections.get("Triggers") ?? "";
  const connections = (credential?.variants ?? []).flatMap(({ oauth2 }) => oauth2 ?? []);
  return [
    ...(connections.length > 0 && !text.includes(redirect) ? [redirect] : []),
    ...connections.flatMap(({ scopes }) => scopes).filter((scope) => !text.includes(scope)),
    ...polls.map(({ id }) => id).filter((id) => !triggers.includes(`\`${id}\``)),
    ...(webhook && !triggers.includes("../triggers.md#webhooks") ? ["webhooks"] : []),
    ...(webhook?.registration && !triggers.includes('`"register": true`') ? ["how the webhook is set up"] : []),
  ];
}

describe("the page of a service", () => {
  it("is there for each provider and for nothing else, and listed", () => {
    expect(pages.map(idOf).toSorted()).toEqual([...onDisk.providerIds].toSorted());
    const list = readPage("README.md");
    expect(pages.filter((name) => !list.includes(`](${name})`))).toEqual([]);
  });

  it.each(pages)(
    "%s says what to create, how long tokens live, limits, tools, triggers, and when that was checked",
    (name) => {
      expect(findMissing(readPage(name))).toEqual([]);
    },
  );

  it("names the redirect address, the scopes and the triggers that the provider has", async () => {
    const providers = (await loadProviders()).filter(({ id }) => pages.some((name) => idOf(name) === id));
    const untold = providers.map(
      (provider) => [provider.id, findUntold(readPage(`${provider.id}.md`), provider)] as const,
    );
    expect(untold.filter(([, words]) => words.length > 0)).toEqual([]);
  });

  it("is found wanting where a heading, its text or the day is missing", () => {
    const whole = needed.map((heading) => `## ${heading}\n\nOn 2026-11-17.\n`).join("\n");
    expect(findMissing(whole)).toEqual([]);
    for (const heading of needed)
      expect(findMissing(whole.replace(`## ${heading}\n`, "## Other\n"))).toContain(heading);
    expect(findMissing(whole.replace("## Tokens\n\nOn 2026-11-17.", "## Tokens\n"))).toEqual(["Tokens"]);
    expect(findMissing(whole.replace(/(## Last checked\n\n).*/, "$1Lately."))).toEqual(["a day in Last checked"]);
  });
});

import type { BrowserContextOptions, ConsoleMessage, Page, Browser as Program } from "playwright-core";
import type { Browser } from "../browser-client.ts";

export type OpenPage = Awaited<ReturnType<typeof openPage>>;

/** For each thing that is waited for on a page. */
export const pageLimitMs = 10_000;

export type PageOptions = {
  baseUrl: string;
  /** Whose session it is; without, nobody is signed in. */
  person?: Browser;
  /** Where the page may send requests besides its own server. */
  neighborUrls?: readonly string[];
  /** What the browser itself reports although the page is right, as the status of a refused form. */
  isExpected?: (message: ConsoleMessage) => boolean;
} & BrowserContextOptions;

/** A page in a session of its own. Errors, dialogs, foreign requests and broken content security rules become complaints. */
export async function openPage(program: Program, pageOptions: PageOptions) {
  const { baseUrl, person, neighborUrls = [], isExpected = () => false, ...options } = pageOptions;
  const context = await program.newContext({ baseURL: baseUrl, ...options });
  if (person) await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: baseUrl })));
  const complaints: string[] = [];
  const ownUrls = [baseUrl, ...neighborUrls];
  context.on("page", (opened) => {
    opened.setDefaultTimeout(pageLimitMs);
    opened.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !isExpected(message)) complaints.push(message.text());
    });
    opened.on("pageerror", (error) => complaints.push(String(error)));
    opened.on("request", (request) => {
      if (!ownUrls.some((url) => request.url().startsWith(`${url}/`))) complaints.push(`foreign: ${request.url()}`);
    });
    opened.on("dialog", async (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
  });
  const page: Page = await context.newPage();
  return { page, complaints, close: () => context.close() };
}

export const sidewaysScrolling = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

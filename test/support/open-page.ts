import type { BrowserContextOptions, Page, Browser as Program } from "playwright-core";
import type { Browser } from "./browser-client.ts";

export type OpenPage = Awaited<ReturnType<typeof openPage>>;

/** A page of somebody who is signed in. Errors, dialogs, foreign requests and broken content security rules become complaints. */
export async function openPage(
  program: Program,
  { baseUrl, person, ...options }: { baseUrl: string; person: Browser } & BrowserContextOptions,
) {
  const context = await program.newContext({ baseURL: baseUrl, ...options });
  await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: baseUrl })));
  const page: Page = await context.newPage();
  page.setDefaultTimeout(8_000);
  const complaints: string[] = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => request.url().startsWith(`${baseUrl}/`) || complaints.push(`foreign: ${request.url()}`));
  page.on("dialog", async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  return { page, complaints, close: () => context.close() };
}

export const sidewaysScrolling = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "playwright-core";
import type { FakeOAuth } from "../oauth/fake-oauth.ts";

export type LoginPage = Awaited<ReturnType<typeof startLoginPage>>;

/** The page of a provider where a person agrees or not. */
export async function startLoginPage(provider: FakeOAuth) {
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? "", "http://localhost").searchParams;
    const state = asked.get("state") ?? "";
    const link = (answer: Record<string, string>) =>
      `${asked.get("redirect_uri")}?${new URLSearchParams({ state, ...answer })}`;
    const code = `code-${state}`;
    provider.codes.add(code);
    response.setHeader("content-type", "text/html");
    response.end(`<h1>Fake login</h1><p>${asked.get("scope")}</p>
      <a href="${link({ code }).replaceAll("&", "&amp;")}">Agree</a> <a href="${link({ error: "access_denied" }).replaceAll("&", "&amp;")}">Deny</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/authorize`;

  return {
    origin,
    url,

    /** Everything the dialog of a credential asks for before it leads to the provider. */
    async fillClient(dialog: Locator): Promise<void> {
      await dialog.getByText("Connect by OAuth").click();
      await dialog.getByLabel("Client ID").fill("my-client");
      await dialog.getByLabel("Client secret", { exact: true }).fill("my-client-secret");
      await dialog.getByText("Other addresses").click();
      await dialog.getByLabel("Authorize URL").fill(url);
      await dialog.getByLabel("Token URL").fill(`${provider.url}/token`);
      await dialog.getByLabel("Base URL").fill(provider.url);
    },

    stop: () => void server.close(),
  };
}

export const pressAndOpenTab = async (page: Page, name: string): Promise<Page> =>
  (
    await Promise.all([page.context().waitForEvent("page"), page.getByRole("button", { name, exact: true }).click()])
  )[0];

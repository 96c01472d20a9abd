import type { BrowserContext, Request, Response } from "playwright-core";

type Document = { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };

/** Everything the pages of a context ask a server for, or are answered, that its own OpenAPI document does not say. */
export async function watchApi(context: BrowserContext, baseUrl: string): Promise<string[]> {
  const undocumented: string[] = [];
  const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
  const operations = Object.entries(paths)
    .map(([path, methods]) => ({ pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`), methods, path }))
    // A path without parameters goes before one that has them in the same place.
    .sort((one, other) => one.path.split("{").length - other.path.split("{").length);

  const isAsked = (request: Request) =>
    ["fetch", "xhr", "eventsource"].includes(request.resourceType()) ||
    ["/api/", "/task-runner/"].some((prefix) => request.url().startsWith(baseUrl + prefix));
  const placeOf = (request: Request) =>
    `${request.method()} ${request.url().replace(baseUrl, "").replace(/\?.*/s, "")}`;

  function findOperation(request: Request) {
    const { origin, pathname } = new URL(request.url());
    const method = request.method().toLowerCase();
    if (origin !== new URL(baseUrl).origin) return undefined;
    return operations.find(({ pattern, methods }) => pattern.test(pathname) && Object.hasOwn(methods, method))?.methods[
      method
    ];
  }

  function isListed(response: Response): boolean {
    const responses = findOperation(response.request())?.responses ?? {};
    // Every refusal has one form.
    if (response.status() >= 400) return /^application\/problem\+json\b/.test(response.headers()["content-type"] ?? "");
    return Object.hasOwn(responses, response.status());
  }

  context.on("request", (request) => {
    if (isAsked(request) && !findOperation(request)) undocumented.push(`${placeOf(request)} is not in the document`);
  });
  context.on("response", (response) => {
    if (findOperation(response.request()) && !isListed(response))
      undocumented.push(`${placeOf(response.request())} answered ${response.status()}, which is not in the document`);
  });
  return undocumented;
}

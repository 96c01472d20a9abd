import { isLoopbackName } from "./name-host.ts";

type Addresses = {
  platform: { baseUrl: string };
  gateway: { baseUrl: string };
  serverUrlTemplate: string;
  oauth: { issuerUrl: string; resourceUrl: string; consentUrlTemplate: string; allowHttp: boolean };
};

/** Addresses that are fine by themselves, but with which no client could connect, or not safely. */
export function findAddressMistakes({ platform, gateway, oauth }: Addresses): string[] {
  const { issuerUrl, resourceUrl, consentUrlTemplate, allowHttp } = oauth;
  const [issuer, resource, consent] = [issuerUrl, resourceUrl, consentUrlTemplate.replaceAll("{uid}", "x")].map(
    (text) => new URL(text),
  );
  const isOpen = (address: URL | undefined) =>
    address?.protocol === "http:" && !isLoopbackName(address.hostname) && !allowHttp;
  const open = Object.entries({ ISSUER_URL: issuer, RESOURCE_URL: resource, CONSENT_URL_TEMPLATE: consent }).filter(
    ([, one]) => isOpen(one),
  );
  const mistakes = open.map(
    ([name]) => `MCP_OAUTH_${name}: must be https, because tokens travel there (MCP_OAUTH_ALLOW_HTTP=true allows http)`,
  );
  if (new URL(platform.baseUrl).pathname !== "/")
    mistakes.push(
      "PLATFORM_API_BASE_URL: must have no path, because the web UI is at the root of its host; give it a host name of its own",
    );
  if (isLoopbackName(issuer?.hostname ?? "") !== isLoopbackName(resource?.hostname ?? ""))
    mistakes.push(
      "MCP_OAUTH_ISSUER_URL: must be public when MCP_OAUTH_RESOURCE_URL is, because the same clients go to both",
    );
  if (!isSameSite(consent?.origin ?? "", new URL(platform.baseUrl).origin))
    mistakes.push("MCP_OAUTH_CONSENT_URL_TEMPLATE: must be on PLATFORM_API_BASE_URL, where people are signed in");
  return [...mistakes, ...findPathMistakes({ gateway, oauth })];
}

const ownSegments = new Set(["oauth", "servers", ".well-known"]);

/** A public path is taken away from what is asked for, so one that is also the gateway's own would take its routes away. */
function findPathMistakes({
  gateway: { baseUrl },
  oauth: { issuerUrl, resourceUrl },
}: Pick<Addresses, "gateway" | "oauth">): string[] {
  const given = { MCP_API_BASE_URL: baseUrl, MCP_OAUTH_ISSUER_URL: issuerUrl, MCP_OAUTH_RESOURCE_URL: resourceUrl };
  return Object.entries(given).flatMap(([name, address]) => {
    const segment = new URL(address).pathname.split("/")[1] ?? "";
    const isNamedAlready = name !== "MCP_API_BASE_URL" && address === baseUrl;
    if (isNamedAlready || !ownSegments.has(segment)) return [];
    return [
      `${name}: its path must not begin with /${segment}, because the gateway has addresses of its own there; choose another one`,
    ];
  });
}

/** The address of each server as OAuth names it: where clients that sign in must find it. */
export const resourceTemplateOf = (resourceUrl: string): string => `${resourceUrl}/{serverId}/mcp`;

/** Without a resource URL the template only changes what is shown, and clients with a key go there; with one, both must agree. */
export function findTemplateMistakes({ serverUrlTemplate, oauth }: Addresses, namesResource: boolean): string[] {
  const name = "MCP_SERVER_URL_TEMPLATE";
  const address = new URL(serverUrlTemplate.replaceAll("{serverId}", "x"));
  const expected = resourceTemplateOf(oauth.resourceUrl);
  if (serverUrlTemplate === expected) return [];
  if (namesResource)
    return [`${name}: must be ${expected}, because MCP_OAUTH_RESOURCE_URL says that the servers are there`];
  if (address.protocol === "http:" && !isLoopbackName(address.hostname) && !oauth.allowHttp)
    return [`${name}: must be https, because keys and tokens travel there (MCP_OAUTH_ALLOW_HTTP=true allows http)`];
  return [];
}

const isSameSite = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)];
  return (
    one === other ||
    (isLoopbackName(a.hostname) && isLoopbackName(b.hostname) && a.port === b.port && a.protocol === b.protocol)
  );
};

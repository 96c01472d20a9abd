import { Refusal } from "../base/refusal.ts";
import type { SafeFetch, SafeFetchInit } from "../base/safe-fetch.ts";
import { type Broken, broken } from "./finding.ts";

export type Answer = {
  url: string;
  status: number;
  headers: Headers;
  /** The body, when it is a JSON object. */
  json: Record<string, unknown> | undefined;
  isPage: boolean;
};

export type Ask = (url: string, init?: SafeFetchInit) => Promise<Answer | Broken>;

type Options = { fetch: SafeFetch; mayVisit?: (url: URL) => boolean };

const timeoutMs = 10_000;

/** One request as a client sends it. Redirects are answers like any other, and no answer at all is a finding. */
export function createAsk({ fetch, mayVisit = () => true }: Options): Ask {
  return async (url, init = {}) => {
    const target = URL.parse(url);
    if (!target || !/^https?:$/.test(target.protocol))
      return broken(
        "document_wrong",
        `${url} is not an http address`,
        "Set the public addresses of the gateway in the configuration.",
      );
    if (!mayVisit(target)) return broken("foreign_address", `it leads to ${target.origin}`, foreignFix(target));
    try {
      const response = await fetch(url, { timeoutMs, ...init });
      const text = await response.text();
      const isPage = /html/i.test(response.headers.get("content-type") ?? "") || /^\s*<(!doctype|html)/i.test(text);
      return { url, status: response.status, headers: response.headers, json: parseObject(text), isPage };
    } catch (error) {
      return describeSilence(target, error);
    }
  };
}

export const isBroken = (answer: Answer | Broken): answer is Broken => "isSound" in answer;

const foreignFix = ({ origin }: URL) =>
  `${origin} is not a public address of this installation. Correct MCP_OAUTH_ISSUER_URL, MCP_OAUTH_RESOURCE_URL or MCP_OAUTH_CONSENT_URL_TEMPLATE, or what a proxy writes into answers. The command line can also follow foreign addresses.`;

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const tlsCodes = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME/;

function describeSilence({ origin, protocol }: URL, error: unknown): Broken {
  if (!(error instanceof Refusal)) throw error;
  const code = /\(([A-Z0-9_]+)\)/.exec(error.message)?.[1] ?? "";
  const seen = `no answer: ${error.message}`;
  if (protocol === "https:" && tlsCodes.test(code))
    return broken(
      "tls",
      seen,
      `The TLS certificate of ${origin} is not valid for clients. Install one of a public authority with its whole chain.`,
    );
  if (code === "ENOTFOUND")
    return broken("unreachable", seen, `There is no DNS entry for ${origin}. Create it, or correct the address.`);
  return broken(
    "unreachable",
    seen,
    `Nothing answers at ${origin} from where this check runs. Start Switchyard and the proxy, and open the port in the firewall. A server that cannot reach its own public address can be checked from another computer with the command line.`,
  );
}

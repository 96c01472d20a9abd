import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { type CredentialData, defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { joinSentences, type ProviderFault, readCommonFault } from "../../contract/fault.ts";
import { path } from "../../contract/http.ts";
import { recordAt, textAt, textsAt } from "../../contract/read.ts";
import { siteAddress } from "./client.ts";
import { knownScopes } from "./known-scopes.ts";
import { listAssignees, listIssueTypes, listProjects } from "./list-choices.ts";

const gatewayUrl = "https://api.atlassian.com";

export const jiraCredential = defineCredential({
  type: "jira",
  title: "Jira Cloud",
  baseUrl: findBaseUrl,
  variants: {
    basic: withFields(
      "E-mail and API token",
      {
        site: z.string().min(1).describe("Site name or address."),
        email: z.string().min(1),
        apiToken: secret(),
        cloudId: z
          .string()
          .min(1)
          .optional()
          .meta({ title: "Cloud ID" })
          .describe(
            "Only for an API token with scopes, which works nowhere else: the id at https://<site>.atlassian.net/_edge/tenant_info.",
          ),
      },
      ({ email, apiToken }) => ({
        headers: { authorization: `Basic ${Buffer.from(`${email}:${apiToken}`).toString("base64")}` },
      }),
    ),
    oauth2: withOAuth2({
      authorizeUrl: "https://auth.atlassian.com/authorize",
      tokenUrl: "https://auth.atlassian.com/oauth/token",
      authorizeParams: { audience: "api.atlassian.com", prompt: "consent" },
      scopes: ["read:jira-work", "write:jira-work", "offline_access"],
      knownScopes,
      fields: {
        site: z.string().min(1).optional().describe("Which site, when the account has several."),
        cloudId: z.string().min(1).optional().describe("Found when connecting."),
      },
      async complete({ http, credential }) {
        const sites = await http.json({ path: "/oauth/token/accessible-resources" });
        return chooseSite(
          Array.isArray(sites) ? sites : [],
          typeof credential.site === "string" ? credential.site : undefined,
        );
      },
    }),
  },
  readFault: readJiraFault,
  readRefusal: readJiraRefusal,
  // Who one is needs a scope of its own, which no tool needs.
  check: async ({ http, credential }) =>
    void (await http.json(
      credential.kind === "oauth2" || credential.cloudId !== undefined
        ? { path: "/rest/api/3/project/search", query: { maxResults: 1 } }
        : { path: "/rest/api/3/myself" },
    )),
  choices: {
    projects: { searches: true, load: listProjects },
    issueTypes: { needs: ["projectKey"], load: listIssueTypes },
    assignees: { needs: ["projectKey"], searches: true, load: listAssignees },
  },
});

/** Tokens with scopes work only at the gateway, and before it is known for which site only at its root. */
function findBaseUrl({ kind, cloudId, site }: CredentialData): string {
  if (typeof cloudId === "string") return gatewayUrl + path`/ex/jira/${cloudId}`;
  return kind === "oauth2" || typeof site !== "string" ? gatewayUrl : siteAddress(site);
}

function chooseSite(sites: unknown[], wanted: string | undefined): CredentialData {
  const jiraSites = sites.filter((site) => textsAt(site, "scopes").includes("read:jira-work"));
  const chosen = jiraSites.find((site) => wanted === undefined || textAt(site, "url") === siteAddress(wanted));
  const cloudId = textAt(chosen, "id");
  if (cloudId === undefined)
    throw new Refusal("provider_error", "The Atlassian account has no access to this Jira site.");
  return { cloudId, site: textAt(chosen, "url") };
}

// Where strangers may read or write, Jira answers a token it does not accept like one of them, with whatever they may see or do.
function readJiraRefusal(_body: unknown, { headers }: Response): ProviderFault | undefined {
  const isRefused = headers.get("x-seraph-loginreason")?.includes("AUTHENTICATED_FAILED") ?? false;
  return isRefused
    ? { message: "it does not accept the credential", isUnauthorized: true, mayHaveActed: true }
    : undefined;
}

function readJiraFault(body: unknown, response: Response): ProviderFault {
  const fieldFaults = Object.entries(recordAt(body, "errors") ?? {}).map(
    ([field, fault]) => `${field}: ${String(fault)}`,
  );
  const words = [...textsAt(body, "errorMessages"), ...fieldFaults];
  if (words.length > 0) return { message: joinSentences(words) };
  const fault = readCommonFault(body, response);
  // The gateway answers a scope that is missing with 401.
  const lacksScope = /scope does not match/i.test(fault.message ?? "");
  return lacksScope ? { ...fault, lacksPermission: true, missingScopes: [] } : fault;
}

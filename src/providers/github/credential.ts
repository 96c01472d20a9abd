import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { type ProviderFault, readCommonFault } from "../../contract/fault.ts";
import { apiVersions } from "./api-version.ts";
import { knownScopes } from "./known-scopes.ts";
import { listOf, listOwners, listRepositories } from "./list-choices.ts";

/** What GitHub asks for where an answer about too many requests says no time. */
const usualWaitMs = 60_000;

const webhookSecret = secret("Verifies incoming events.").optional();

export const githubCredential = defineCredential({
  type: "github",
  title: "GitHub",
  baseUrl: "https://api.github.com",
  // Files of releases are uploaded there.
  origins: ["https://uploads.github.com"],
  headers: {
    Accept: "application/vnd.github+json",
    "X-GitHub-Api-Version": apiVersions.rest.version,
    "User-Agent": "switchyard",
  },
  variants: {
    bearer: withFields(
      "Access token",
      { accessToken: secret("Fine-grained or classic token."), webhookSecret },
      ({ accessToken }) => ({
        headers: { authorization: `Bearer ${accessToken}` },
      }),
    ),
    oauth2: withOAuth2({
      authorizeUrl: "https://github.com/login/oauth/authorize",
      tokenUrl: "https://github.com/login/oauth/access_token",
      tokenHeaders: { Accept: "application/json" },
      scopes: ["repo", "read:user"],
      knownScopes,
      pkce: true,
      fields: { webhookSecret },
    }),
  },
  readFault: (body, response) => {
    const fault = readCommonFault(body, response);
    if (response.status === 403 && /rate limit|abuse detection/i.test(fault.message ?? ""))
      return { ...fault, isTemporary: true, isTurnedAway: true, retryAfterMs: usualWaitMs };
    return { ...fault, missingScopes: findMissingPermissions(fault, response) ?? findMissingScopes(response) };
  },
  check: async ({ http }) => void (await http.json({ path: "/user" })),
  choices: {
    owners: { load: listOwners },
    repositories: { needs: ["owner"], load: listRepositories },
    branches: { needs: ["owner", "repo"], load: listOf("branches", "name") },
    labels: { needs: ["owner", "repo"], load: listOf("labels", "name") },
    assignees: { needs: ["owner", "repo"], load: listOf("assignees", "login") },
  },
});

const listIn = (header: string | null): string[] => (header ?? "").split(",").flatMap((scope) => scope.trim() || []);

/** GitHub hides what a token may not see behind 404. A token with scopes is told which it has; other tokens have none. */
function findMissingScopes({ status, headers }: Response): string[] | undefined {
  const [has, accepted] = [headers.get("x-oauth-scopes"), listIn(headers.get("x-accepted-oauth-scopes"))];
  if ((status !== 403 && status !== 404) || has === null || accepted.length === 0) return undefined;
  return listIn(has).some((scope) => accepted.includes(scope)) ? undefined : accepted;
}

/** A fine-grained token has permissions, of which several sets may do. They stand on every answer, also where something else is wrong. */
function findMissingPermissions({ message }: ProviderFault, { headers }: Response): string[] | undefined {
  if (!/resource not accessible/i.test(message ?? "")) return undefined;
  return (headers.get("x-accepted-github-permissions") ?? "").split(";").flatMap((set) => set.trim() || []);
}

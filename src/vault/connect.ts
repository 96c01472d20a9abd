import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { Refusal, type RefusalCode } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { CredentialData } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { createBegunConnections, type Person } from "./begun-connections.ts";
import { type Contents, toStorableError } from "./contents.ts";
import type { Credentials } from "./credentials.ts";
import { addressOf } from "./destination.ts";
import { createExchangeCode, openOAuth } from "./exchange-code.ts";
import type { StartCall } from "./health.ts";
import { clientOf, type OAuthClients } from "./request-tokens.ts";
import { addScopes } from "./scopes.ts";
import type { Seal } from "./seal.ts";
import { noteFailure, type Place, vaultTables } from "./store.ts";

type Options = {
  db: Database;
  clock: Clock;
  seal: Seal;
  contents: Contents;
  credentials: Credentials;
  fetch: SafeFetch;
  startCall: StartCall;
  oauthClients: OAuthClients;
  platformBaseUrl: string;
  /** Asked again when the browser comes back, because a role may have ended in between. */
  mayManage: (organizationId: string, userId: string) => Promise<boolean>;
};

type NewConnection = {
  type: string;
  name: string;
  data?: CredentialData | undefined;
  makeDefault?: boolean | undefined;
};
type Answer = { state: string; code?: string | undefined; error?: string | undefined };

/** Connecting an account at its provider, by the browser of one person. */
export function createConnect(options: Options) {
  const { db, clock, contents, credentials, oauthClients, platformBaseUrl } = options;
  const tables = vaultTables(db);
  const begun = createBegunConnections(options);
  const exchange = createExchangeCode(options);
  const redirectUri = `${platformBaseUrl}/api/oauth/callback`;

  /** Where to send the browser. */
  async function start(place: Place, person: Person): Promise<string> {
    const checked = await credentials.checkOwn(place);
    const { data, oauth2 } = openOAuth(checked, contents);
    const client = clientOf(checked.row.type, oauth2, data, oauthClients);
    const url = URL.parse(addressOf(oauth2, "authorizeUrl", data));
    if (!url) throw new Refusal("validation_failed", "The fields do not make a valid address to connect at.");
    const { state, verifier } = await begun.begin(place, person);
    const parameters = {
      response_type: "code",
      client_id: client.id,
      redirect_uri: redirectUri,
      state,
      ...(oauth2.pkce ? challengeOf(verifier) : {}),
    };
    const usual = Object.entries(oauth2.authorizeParams).filter(([name]) => !url.searchParams.has(name));
    for (const [name, value] of [...usual, ...Object.entries(parameters)]) url.searchParams.set(name, value);
    addScopes(url, oauth2, data);
    return url.href;
  }

  /** Creates the credential first: it is what the person comes back to, whether the provider agreed or not. */
  async function startNew(organizationId: string, request: NewConnection, person: Person) {
    const oauthKinds = credentials.definitionOf(request.type).variants.filter(({ oauth2 }) => oauth2);
    const kind =
      oauthKinds.length === 1 && credentials.definitionOf(request.type).variants.length > 1
        ? { kind: oauthKinds[0]?.kind }
        : {};
    const data = { ...kind, ...request.data };
    const { id: credentialId } = await credentials.create(organizationId, {
      ...request,
      data,
      createdBy: person.userId,
    });
    const place = { organizationId, credentialId };
    try {
      return { credentialId, authorizeUrl: await start(place, person) };
    } catch (error) {
      await credentials.remove(place);
      throw error;
    }
  }

  async function exchangeFor(
    place: Place,
    { code, verifier }: { code: string; verifier: string },
  ): Promise<RefusalCode | undefined> {
    try {
      await exchange(await credentials.checkOwn(place), { code, verifier, redirectUri });
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await noteFailure(tables, place, { last_error: toStorableError(error.message), last_error_at: clock.now() });
      return error.code;
    }
  }

  /** Takes what the provider sent back with the browser; gives where to go next, which is always a page of ours. */
  async function finish({ state, code, error }: Answer, person: Person): Promise<string> {
    const { place, isExpired, verifier } = await begun.take(state, person);
    const page = `${platformBaseUrl}/o/${place.organizationId}/credentials/${place.credentialId}`;
    if (isExpired) return `${page}?problem=oauth_expired`;
    if (!(await options.mayManage(place.organizationId, person.userId)))
      return `${platformBaseUrl}/?problem=role_required`;
    if (error === "access_denied") return `${page}?problem=oauth_denied`;
    if (!code || error !== undefined) return `${page}?problem=oauth_failed`;
    const problem = await exchangeFor(place, { code, verifier });
    return problem === undefined ? page : `${page}?problem=${problem}`;
  }

  return { start, startNew, finish };
}

const challengeOf = (verifier: string) => ({
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
});

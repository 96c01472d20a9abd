import { randomBytes } from "node:crypto";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { UserCaller } from "../door/caller.ts";
import type { Organizations } from "../identity/organizations.ts";
import type { Database } from "../storage/database.ts";
import { type ChosenAccount, type ConsentAccounts, invalid, toColumns } from "./consent-accounts.ts";
import { isLoopbackHost, nameOfClient } from "./describe-client.ts";
import { lifetimes } from "./lifetimes.ts";
import { allowedByRole, grantableScopes, type ResourceServer, type Resources, scopeDescriptions } from "./resources.ts";
import {
  type ClientRow,
  findClient,
  insertConnection,
  insertTicket,
  type NewConnection,
  type OAuthDb,
  oauthTables,
  takeTicket,
} from "./store.ts";
import { findToken, sha256 } from "./token-store.ts";
import type { ConsentDecision, ConsentRequest, ConsentServer, OAuthScope } from "./wire.ts";

export type Consent = ReturnType<typeof createConsent>;

type Options = {
  db: Database;
  organizations: Pick<Organizations, "listOf" | "membership">;
  accounts: ConsentAccounts;
  resources: Resources;
  issuerUrl: string;
};

/** What a ticket stands for. */
type Decision =
  | { approve: false }
  | { approve: true; organizationId: string; serverId: string; scopes: OAuthScope[]; account: ChosenAccount };

type Parameters = {
  client_id: string;
  redirect_uri: string;
  resource?: string;
  scope?: string;
  requested_scope?: string;
};

/** What a user is asked, and what they answer. The page speaks to the platform, the answer travels to the gateway as a ticket. */
export function createConsent({ db, organizations, accounts, resources, issuerUrl }: Options) {
  const tables = oauthTables(db);

  async function read(uid: string) {
    const interaction = await findToken(db, "Interaction", uid);
    const { params, result } = (interaction?.payload ?? {}) as { params?: Parameters; result?: unknown };
    const client = params && (await findClient(db, params.client_id));
    if (!interaction || !params || !client || result !== undefined) throw requestGone();
    return { params, client, expiresAt: interaction.expiresAt };
  }

  return {
    async describe(uid: string, { userId, name, email }: UserCaller): Promise<ConsentRequest> {
      const { params, client, expiresAt } = await read(uid);
      const asked = serverOf(resources, params);
      const show = (server: ResourceServer) => describeServer(server, params.scope ?? params.requested_scope);
      const [offered, memberships] = [asked ? [asked] : resources.servers, await organizations.listOf(userId)];
      return {
        client: describeClient(client, params.redirect_uri),
        server: asked ? show(asked) : null,
        servers: asked ? [] : offered.map(show),
        scopes: asked ? show(asked).scopes : [],
        organizations: await Promise.all(
          memberships.map(async (one) => ({ ...one, accounts: await accounts.list(one.id, offered) })),
        ),
        user: { name, email },
        expiresAt: expiresAt.toISOString(),
      };
    },

    async decide(uid: string, { userId }: UserCaller, answer: ConsentDecision): Promise<{ redirectTo: string }> {
      const { params } = await read(uid);
      const decision: Decision = answer.approve
        ? await readApproval({ organizations, accounts, resources }, params, userId, answer)
        : { approve: false };
      const ticket = randomBytes(32).toString("base64url");
      const row = { hash: sha256(ticket), interactionHash: sha256(uid), userId, decision: JSON.stringify(decision) };
      await insertTicket(tables, row, lifetimes.ticket);
      return { redirectTo: `${issuerUrl}/oauth/consent/${uid}/finish?ticket=${ticket}` };
    },

    /** Takes a ticket, once, and makes the connection it stands for; undefined when the user said no. */
    async redeem(uid: string, ticket: string, clientId: string) {
      const taken = await takeTicket(tables, sha256(ticket), sha256(uid));
      if (!taken || taken.is_expired) throw ticketRefused();
      const decision = JSON.parse(taken.decision) as Decision;
      if (!decision.approve) return undefined;
      const client = await findClient(db, clientId);
      if (!client) throw ticketRefused();
      const { organizationId, serverId, scopes, account } = decision;
      const { name, host } = describeIdentity(client);
      const connection = { id: newId(), userId: taken.user_id, resource: resources.urlOf(serverId), scopes };
      await keepConnection(tables, {
        id: connection.id,
        user_id: taken.user_id,
        organization_id: organizationId,
        client_id: client.id,
        client_name: name,
        client_host: host,
        resource: connection.resource,
        server_id: serverId,
        scopes,
        ...toColumns(account),
      });
      return connection;
    },
  };
}

const serverOf = (resources: Resources, { resource }: Parameters) =>
  resource === undefined ? undefined : resources.serverAt(resource);

async function readApproval(
  { organizations, accounts, resources }: Pick<Options, "organizations" | "accounts" | "resources">,
  params: Parameters,
  userId: string,
  answer: ConsentDecision,
): Promise<Decision> {
  const server = serverOf(resources, params) ?? pickServer(resources, answer.serverId);
  const scopes = narrow(grantableScopes(server, params.scope ?? params.requested_scope), answer.scopes);
  if (answer.organizationId === undefined) throw invalid("/organizationId", "is required to approve");
  const member = await organizations.membership(answer.organizationId, userId);
  if (!member) throw new Refusal("role_required", "You do not belong to this organization.");
  const allowed = allowedByRole(member.organization.role, scopes);
  if (allowed.length === 0)
    throw new Refusal("role_required", "A viewer of an organization cannot let a client act on it.");
  const account = await accounts.choose(answer.organizationId, server, answer.credentialId);
  return { approve: true, organizationId: answer.organizationId, serverId: server.id, scopes: allowed, account };
}

/** The organization may have been deleted, or the person, since the user said yes. */
async function keepConnection(tables: OAuthDb, row: NewConnection): Promise<void> {
  await insertConnection(tables, row, lifetimes.connection).catch((error: { code?: string }) => {
    throw error.code === "23503" ? ticketRefused() : error;
  });
}

const requestGone = () =>
  new Refusal("not_found", "This request is no longer open. Connect again from your application.");

const ticketRefused = () =>
  new Refusal(
    "oauth_state_invalid",
    "This browser did not begin this connection, or the answer was used already or came too late.",
  );

function pickServer(resources: Resources, serverId: string | undefined): ResourceServer {
  const server = serverId === undefined ? undefined : resources.server(serverId);
  if (!server) throw invalid("/serverId", "must be one of the servers of this request");
  return server;
}

function narrow(asked: readonly OAuthScope[], chosen: readonly OAuthScope[] | undefined): readonly OAuthScope[] {
  if (chosen === undefined) return asked;
  if (chosen.some((scope) => !asked.includes(scope)))
    throw invalid("/scopes", "must be a part of what the client asked for");
  return asked.filter((scope) => chosen.includes(scope));
}

const describeServer = (server: ResourceServer, asked: string | undefined): ConsentServer => ({
  id: server.id,
  title: server.title,
  credentialType: server.credentialType,
  scopes: grantableScopes(server, asked).map((name) => ({ name, description: scopeDescriptions[name] })),
});

function describeIdentity({ id, kind, metadata }: ClientRow): { name: string; host: string | null } {
  const name = nameOfClient({ ...(JSON.parse(metadata) as object), client_id: id });
  return { name, host: kind === "metadata_document" ? new URL(id).host : null };
}

function describeClient(client: ClientRow, redirectUri: string): ConsentRequest["client"] {
  const { protocol, host, hostname } = new URL(redirectUri);
  const isWeb = protocol === "https:" || protocol === "http:";
  return {
    ...describeIdentity(client),
    redirectHost: isWeb ? host : protocol,
    isLoopback: isWeb && isLoopbackHost(hostname),
    isSelfRegistered: client.kind === "registered",
  };
}

import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import type { Catalog, CatalogAction } from "./catalog.ts";
import { toJsonSchema } from "./json-schema.ts";
import * as wire from "./wire.ts";

const tags = ["Catalogue"];

/** The catalogue never changes while the process runs, so its answers are made once. */
export function registerCatalogRoutes(server: FastifyInstance, catalog: Catalog, servers: wire.ServerEntry[]): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const nodes = { data: [...catalog.actions.values()].map(describeNode) };
  const credentialTypes = { data: [...catalog.credentialTypes.values()].map(describeCredentialType) };
  const polls = { data: catalog.providers.flatMap(describePolls) };
  const webhookProviders = { data: catalog.providers.flatMap(describeWebhook) };

  routes.get(
    "/api/nodes",
    { config: { access: "session" }, schema: { tags, summary: "List nodes", response: { 200: wire.nodeList } } },
    () => nodes,
  );

  routes.get(
    "/api/polls",
    {
      config: { access: "session" },
      schema: { tags, summary: "List what a trigger can look for at a service", response: { 200: wire.pollList } },
    },
    () => polls,
  );

  routes.get(
    "/api/webhook-providers",
    {
      config: { access: "session" },
      schema: {
        tags,
        summary: "List providers that sign what they deliver to webhooks",
        response: { 200: wire.webhookProviderList },
      },
    },
    () => webhookProviders,
  );

  routes.get(
    "/api/servers",
    {
      config: { access: "session" },
      schema: { tags, summary: "List MCP servers with their tools", response: { 200: wire.serverList } },
    },
    () => ({ data: servers }),
  );

  routes.get(
    "/api/credential-types",
    {
      config: { access: "session" },
      schema: { tags, summary: "List kinds of accounts", response: { 200: wire.credentialTypeList } },
    },
    () => credentialTypes,
  );

  registerIcons(server, catalog);
}

function registerIcons(server: FastifyInstance, { providers }: Pick<Catalog, "providers">): void {
  const icons = new Map(providers.map(({ id, icon }) => [id, icon]));
  const drawing = { description: "An SVG.", content: { "image/svg+xml": { schema: z.string() } } };
  server.withTypeProvider<ZodTypeProvider>().get(
    "/api/providers/:providerId/icon.svg",
    {
      config: { access: "public" },
      schema: {
        tags,
        summary: "A provider's icon",
        params: z.object({ providerId: z.string() }),
        response: { 200: drawing },
      },
    },
    async (request, reply) => {
      const icon = icons.get(request.params.providerId);
      if (icon === undefined) throw new Refusal("not_found", "There is no such provider.");
      return reply.type("image/svg+xml; charset=utf-8").header("Cache-Control", "public, max-age=86400").send(icon);
    },
  );
}

function describeNode(action: CatalogAction): wire.NodeEntry {
  const { id, title, description, version, hints, credential, worksWithoutAccount } = action;
  const { provider, alsoTakes, inputSchema, outputSchema } = action;
  return {
    id,
    title,
    description,
    synonyms: [...action.synonyms, ...provider.synonyms],
    ...(action.summary && { summary: [...action.summary] }),
    section: provider.section,
    guide: action.guide ?? null,
    version,
    provider: { id: provider.id, title: provider.title },
    hints,
    credentials: credential ? [credential.type] : [],
    alsoTakes: [...alsoTakes],
    worksWithoutAccount: credential === null || worksWithoutAccount,
    inputSchema,
    outputSchema,
  };
}

const describePolls = ({ id, title, credential, polls }: Catalog["providers"][number]): wire.PollEntry[] =>
  polls.map((poll) => ({
    id: poll.id,
    provider: { id, title },
    title: poll.title,
    description: poll.description,
    credentials: credential ? [credential.type] : [],
    worksWithoutAccount: credential === null || poll.worksWithoutAccount,
    everySeconds: poll.everySeconds,
    parametersSchema: toJsonSchema(poll.parameters, "input"),
  }));

const describeWebhook = ({
  id,
  title,
  credential,
  webhook,
}: Catalog["providers"][number]): wire.WebhookProviderEntry[] =>
  webhook
    ? [
        {
          id,
          title,
          credentialType: credential?.type ?? null,
          canRegister: webhook.registration !== undefined,
          needsPlace: (webhook.registration?.place ?? null) !== null,
        },
      ]
    : [];

type CatalogCredentialType = Catalog["credentialTypes"] extends Map<string, infer Value> ? Value : never;

function describeCredentialType({ definition, provider }: CatalogCredentialType): wire.CredentialTypeEntry {
  return {
    type: definition.type,
    title: definition.title,
    provider: { id: provider.id, title: provider.title },
    takesBaseUrl: definition.baseUrl !== null,
    canBeTested: definition.check !== null,
    variants: definition.variants.map(({ kind, title, fields, oauth2 }) => ({
      kind,
      title,
      schema: toJsonSchema(fields, "input"),
      isOAuth2: oauth2 !== undefined,
      scopes: oauth2?.scopes ?? [],
      knownScopes: Object.entries(oauth2?.knownScopes ?? {}).map(([name, description]) => ({ name, description })),
      advice: oauth2?.advice,
    })),
  };
}

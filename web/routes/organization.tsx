import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import {
  Activity,
  Blocks,
  Building2,
  Clock,
  House,
  KeyRound,
  LockKeyhole,
  PlugZap,
  Stethoscope,
  Users,
  Workflow,
} from "lucide-react";
import { callsQuery } from "../api/history.ts";
import { runQuery, runsQuery } from "../api/runs.ts";
import { toCallFilter, toRunFilter } from "../pages/history/filters.ts";
import { connectionsQuery, invitationsQuery, membersQuery, serverAddressesQuery } from "../queries.ts";
import { managesMembers } from "../session.ts";
import { organization } from "./frame.tsx";
import { readTexts } from "./read-texts.ts";

const home = createRoute({
  getParentRoute: () => organization,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/home.tsx"), "HomePage"),
  staticData: { navigation: { label: "Home", Icon: House } },
});

const workflows = createRoute({
  getParentRoute: () => organization,
  path: "/workflows",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "search", "folder", "tag", "create"),
  component: lazyRouteComponent(() => import("../pages/workflows.tsx"), "WorkflowsPage"),
  staticData: { navigation: { label: "Workflows", Icon: Workflow, group: "Build" } },
});

const templates = createRoute({
  getParentRoute: () => organization,
  path: "/workflows/templates",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "search", "service", "template"),
  component: lazyRouteComponent(() => import("../pages/templates.tsx"), "TemplatesPage"),
});

/**
 * `node`: the node whose panel is open; `panel`: what else is open beside or in place of the canvas, `from` and `to` what is compared there;
 * `run`: the run whose data is shown.
 */
const workflow = createRoute({
  getParentRoute: () => organization,
  path: "/workflows/$workflowId",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "node", "panel", "run", "field", "from", "to"),
  component: lazyRouteComponent(() => import("../canvas/workflow-page.tsx"), "WorkflowPage"),
  staticData: { needsRoom: true },
});

const triggers = createRoute({
  getParentRoute: () => organization,
  path: "/triggers",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "workflow", "create", "trigger"),
  component: lazyRouteComponent(() => import("../pages/triggers.tsx"), "TriggersPage"),
  staticData: { navigation: { label: "Triggers", Icon: Clock, group: "Build" } },
});

const credentials = createRoute({
  getParentRoute: () => organization,
  path: "/credentials",
  validateSearch: (search: Record<string, unknown>) =>
    readTexts(search, "search", "create", "credential", "connected", "error"),
  component: lazyRouteComponent(() => import("../pages/credentials.tsx"), "CredentialsPage"),
  staticData: { navigation: { label: "Credentials", Icon: LockKeyhole, group: "Build" } },
});

/** Where providers and messages lead to: `GET /api/oauth/callback` comes back here with how a connection went. */
const credential = createRoute({
  getParentRoute: () => organization,
  path: "/credentials/$credentialId",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "problem"),
  beforeLoad: ({ params: { organizationId, credentialId }, search: { problem } }) => {
    const outcome = problem === undefined ? { connected: "true" } : { error: problem };
    throw redirect({
      to: credentials.to,
      params: { organizationId },
      search: { credential: credentialId, ...outcome },
      replace: true,
    });
  },
});

const history = createRoute({
  getParentRoute: () => organization,
  path: "/history",
  validateSearch: (search: Record<string, unknown>) =>
    readTexts(search, "tab", "search", "status", "server", "tool", "key", "source", "workflow", "from", "to", "record"),
  loaderDeps: ({ search: { record: _, ...chosen } }) => chosen,
  // Not waited for: the list is on its way while the page itself is.
  loader: ({ context: { queryClient }, params: { organizationId }, deps }) => {
    if (deps.tab === "tools") void queryClient.prefetchInfiniteQuery(callsQuery(organizationId, toCallFilter(deps)));
    else void queryClient.prefetchInfiniteQuery(runsQuery(organizationId, toRunFilter(deps)));
  },
  component: lazyRouteComponent(() => import("../pages/history.tsx"), "HistoryPage"),
  staticData: { navigation: { label: "History", Icon: Activity, group: "Watch" } },
});

const run = createRoute({
  getParentRoute: () => organization,
  path: "/runs/$runId",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "node", "view"),
  loader: ({ context: { queryClient }, params: { organizationId, runId } }) =>
    void queryClient.prefetchQuery(runQuery(organizationId, runId)),
  component: lazyRouteComponent(() => import("../canvas/run-page.tsx"), "RunPage"),
  staticData: { needsRoom: true },
});

const servers = createRoute({
  getParentRoute: () => organization,
  path: "/servers",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "search"),
  component: lazyRouteComponent(() => import("../pages/servers.tsx"), "ServersPage"),
  staticData: { navigation: { label: "MCP servers", Icon: Blocks, group: "Connect" } },
});

const server = createRoute({
  getParentRoute: () => organization,
  path: "/servers/$serverId",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "tool", "client"),
  component: lazyRouteComponent(() => import("../pages/server.tsx"), "ServerPage"),
});

const apiKeys = createRoute({
  getParentRoute: () => organization,
  path: "/api-keys",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "create"),
  component: lazyRouteComponent(() => import("../pages/api-keys.tsx"), "ApiKeysPage"),
  staticData: { navigation: { label: "API keys", Icon: KeyRound, group: "Connect" } },
});

const connections = createRoute({
  getParentRoute: () => organization,
  path: "/connections",
  loader: ({ context: { queryClient }, params: { organizationId } }) =>
    Promise.all([
      queryClient.ensureQueryData(connectionsQuery(organizationId)),
      queryClient.ensureQueryData(serverAddressesQuery),
    ]),
  component: lazyRouteComponent(() => import("../pages/connections.tsx"), "ConnectionsPage"),
  staticData: { navigation: { label: "Connected applications", Icon: PlugZap, group: "Connect" } },
});

const doctor = createRoute({
  getParentRoute: () => organization,
  path: "/doctor",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "server"),
  loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(serverAddressesQuery),
  component: lazyRouteComponent(() => import("../pages/doctor.tsx"), "DoctorPage"),
  staticData: { navigation: { label: "Connection doctor", Icon: Stethoscope, group: "Connect" } },
});

const overview = createRoute({
  getParentRoute: () => organization,
  path: "/organization",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "tab", "days", "endpoint", "create"),
  component: lazyRouteComponent(() => import("../pages/organization.tsx"), "OrganizationPage"),
  staticData: { navigation: { label: "Usage and settings", Icon: Building2, group: "Organization" } },
});

const members = createRoute({
  getParentRoute: () => organization,
  path: "/members",
  loader: ({ context: { queryClient, role }, params: { organizationId } }) =>
    Promise.all([
      queryClient.ensureQueryData(membersQuery(organizationId)),
      managesMembers(role) && queryClient.ensureQueryData(invitationsQuery(organizationId)),
    ]),
  component: lazyRouteComponent(() => import("../pages/members.tsx"), "MembersPage"),
  staticData: { navigation: { label: "Members", Icon: Users, group: "Organization" } },
});

export const organizationRoutes = [
  home,
  workflows,
  templates,
  workflow,
  triggers,
  credentials,
  credential,
  history,
  run,
  servers,
  server,
  apiKeys,
  connections,
  doctor,
  overview,
  members,
];

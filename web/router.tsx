import type { QueryClient } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, notFound, Outlet, redirect, useRouter } from "@tanstack/react-router";
import { House, PlugZap, Stethoscope, Users } from "lucide-react";
import { useEffect } from "react";
import { AccountPage } from "./pages/account.tsx";
import { ConnectionsPage } from "./pages/connections.tsx";
import { ConsentPage } from "./pages/consent.tsx";
import { DoctorPage } from "./pages/doctor.tsx";
import { ForgotPasswordPage } from "./pages/forgot-password.tsx";
import { HomePage } from "./pages/home.tsx";
import { InvitationPage } from "./pages/invitation.tsx";
import { MembersPage } from "./pages/members.tsx";
import { NewOrganizationPage } from "./pages/new-organization.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { PendingPage } from "./pages/pending.tsx";
import { ProblemPage } from "./pages/problem.tsx";
import { ResetPasswordPage } from "./pages/reset-password.tsx";
import { SetupPage } from "./pages/setup.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import {
  connectionsQuery,
  invitationQuery,
  invitationsQuery,
  membersQuery,
  meQuery,
  serverAddressesQuery,
  sessionsQuery,
  setupQuery,
} from "./queries.ts";
import { safeNextPath } from "./safe-next-path.ts";
import { findHomeOrganization, managesMembers, rememberOrganization, SignedInPerson, useMe } from "./session.ts";
import { AppShell } from "./shell/app-shell.tsx";
import type { NavigationEntry } from "./shell/navigation.tsx";

type RouterContext = { queryClient: QueryClient };

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
  interface StaticDataRouteOption {
    /** Puts a page below `/o/$organizationId` into the navigation. */
    navigation?: NavigationEntry;
  }
}

/** Every page has its route here and nowhere else; `navigation` puts it into the menu. */
export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 300,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ProblemPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    // Plain query strings: the usual JSON reading would turn a token of digits into a number.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(Object.entries(search).filter(([, value]) => value !== undefined)).toString();
      return text && `?${text}`;
    },
  });
}

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ context: { queryClient }, location }) => {
    // Asked for at once, because nearly every page needs it next.
    void queryClient.prefetchQuery(meQuery);
    const { needed } = await queryClient.ensureQueryData(setupQuery);
    if (needed && location.pathname !== "/setup") throw redirect({ to: "/setup", search: { next: location.href } });
  },
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async ({ context: { queryClient } }) => {
    const me = await queryClient.ensureQueryData(meQuery);
    if (!me) throw redirect({ to: "/sign-in" });
    const home = findHomeOrganization(me);
    if (home) throw redirect({ to: "/o/$organizationId", params: { organizationId: home.id } });
    throw redirect({ to: "/new-organization" });
  },
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "next"),
  beforeLoad: async ({ context: { queryClient } }) => {
    const { needed } = await queryClient.ensureQueryData(setupQuery);
    if (!needed) throw redirect({ to: "/" });
  },
  component: SetupPage,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "next"),
  beforeLoad: async ({ context: { queryClient }, search }) => {
    const me = await queryClient.ensureQueryData(meQuery);
    if (me) throw redirect({ href: safeNextPath(search.next, location.origin) });
  },
  component: SignInPage,
});

const forgotPassword = createRoute({ getParentRoute: () => root, path: "/forgot-password", component: ForgotPasswordPage });

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "token"),
  component: ResetPasswordPage,
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation/$invitationId",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "token"),
  loaderDeps: ({ search: { token = "" } }) => ({ token }),
  loader: ({ context: { queryClient }, params, deps }) =>
    Promise.all([queryClient.ensureQueryData(invitationQuery(params.invitationId, deps.token)), queryClient.ensureQueryData(meQuery)]),
  component: InvitationPage,
});

/** Where MCP_OAUTH_CONSENT_URL_TEMPLATE leads: outside the shell, because there is only one thing to do. */
const consent = createRoute({
  getParentRoute: () => root,
  path: "/consent/$uid",
  beforeLoad: async ({ context: { queryClient }, location }) => {
    const me = await queryClient.ensureQueryData({ ...meQuery, revalidateIfStale: true });
    if (!me) throw redirect({ to: "/sign-in", search: { next: location.href } });
  },
  component: ConsentPage,
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ context: { queryClient }, location }) => {
    const me = await queryClient.ensureQueryData({ ...meQuery, revalidateIfStale: true });
    if (!me) throw redirect({ to: "/sign-in", search: { next: location.href } });
    return { me };
  },
  component: SignedIn,
});

const newOrganization = createRoute({ getParentRoute: () => signedIn, path: "/new-organization", component: NewOrganizationPage });

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(sessionsQuery),
  component: AccountPage,
});

const organization = createRoute({
  getParentRoute: () => signedIn,
  path: "/o/$organizationId",
  beforeLoad: ({ context: { me }, params: { organizationId } }) => {
    const mine = me.organizations.find(({ id }) => id === organizationId);
    if (!mine) throw notFound();
    rememberOrganization(organizationId);
    return { role: mine.role };
  },
  component: OrganizationPages,
});

const home = createRoute({
  getParentRoute: () => organization,
  path: "/",
  component: HomePage,
  staticData: { navigation: { label: "Home", Icon: House } },
});

const members = createRoute({
  getParentRoute: () => organization,
  path: "/members",
  loader: ({ context: { queryClient, role }, params: { organizationId } }) =>
    Promise.all([
      queryClient.ensureQueryData(membersQuery(organizationId)),
      managesMembers(role) && queryClient.ensureQueryData(invitationsQuery(organizationId)),
    ]),
  component: MembersPage,
  staticData: { navigation: { label: "Members", Icon: Users } },
});

const connections = createRoute({
  getParentRoute: () => organization,
  path: "/connections",
  loader: ({ context: { queryClient }, params: { organizationId } }) =>
    Promise.all([queryClient.ensureQueryData(connectionsQuery(organizationId)), queryClient.ensureQueryData(serverAddressesQuery)]),
  component: ConnectionsPage,
  staticData: { navigation: { label: "Connected applications", Icon: PlugZap } },
});

const doctor = createRoute({
  getParentRoute: () => organization,
  path: "/doctor",
  validateSearch: (search: Record<string, unknown>) => readTexts(search, "server"),
  loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(serverAddressesQuery),
  component: DoctorPage,
  staticData: { navigation: { label: "Connection doctor", Icon: Stethoscope } },
});

const routeTree = root.addChildren([
  start,
  setup,
  signIn,
  forgotPassword,
  resetPassword,
  invitation,
  consent,
  signedIn.addChildren([newOrganization, account, organization.addChildren([home, connections, doctor, members])]),
]);

function SignedIn() {
  const router = useRouter();
  const { data: me } = useQuery(meQuery);
  useEffect(() => {
    if (me === null) void router.invalidate();
  }, [me, router]);
  if (!me) return <PendingPage />;
  return (
    <SignedInPerson value={me}>
      <AppShell />
    </SignedInPerson>
  );
}

/** Whoever is removed from the organization while looking at it sees that there is nothing any more. */
function OrganizationPages() {
  const { organizationId } = organization.useParams();
  return useMe().organizations.some(({ id }) => id === organizationId) ? <Outlet /> : <NotFoundPage />;
}

function readTexts<Name extends string>(search: Record<string, unknown>, name: Name): { [key in Name]?: string } {
  const value = search[name];
  return (typeof value === "string" ? { [name]: value } : {}) as { [key in Name]?: string };
}

import { createRoute, redirect } from "@tanstack/react-router";
import { AccountPage } from "../pages/account.tsx";
import { ConsentPage } from "../pages/consent.tsx";
import { ForgotPasswordPage } from "../pages/forgot-password.tsx";
import { InvitationPage } from "../pages/invitation.tsx";
import { InvitationProblemPage } from "../pages/invitation-problem.tsx";
import { NewOrganizationPage } from "../pages/new-organization.tsx";
import { ResetPasswordPage } from "../pages/reset-password.tsx";
import { SetupPage } from "../pages/setup.tsx";
import { SignInPage } from "../pages/sign-in.tsx";
import { invitationQuery, meQuery, sessionsQuery, setupQuery } from "../queries.ts";
import { safeNextPath } from "../safe-next-path.ts";
import { findHomeOrganization } from "../session.ts";
import { root, signedIn } from "./frame.tsx";
import { readTexts } from "./read-texts.ts";

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

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  component: ForgotPasswordPage,
});

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
    Promise.all([
      queryClient.ensureQueryData(invitationQuery(params.invitationId, deps.token)),
      queryClient.ensureQueryData(meQuery),
    ]),
  component: InvitationPage,
  errorComponent: InvitationProblemPage,
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

const newOrganization = createRoute({
  getParentRoute: () => signedIn,
  path: "/new-organization",
  component: NewOrganizationPage,
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(sessionsQuery),
  component: AccountPage,
});

/** Everything outside of an organization. */
export const frontRoutes = [start, setup, signIn, forgotPassword, resetPassword, invitation, consent];
export const personalRoutes = [newOrganization, account];

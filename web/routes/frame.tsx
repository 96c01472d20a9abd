import type { QueryClient } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, notFound, Outlet, redirect, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { NotFoundPage } from "../pages/not-found.tsx";
import { PendingPage } from "../pages/pending.tsx";
import { meQuery, setupQuery } from "../queries.ts";
import { rememberOrganization, SignedInPerson, useMe } from "../session.ts";
import { AppShell } from "../shell/app-shell.tsx";

type RouterContext = { queryClient: QueryClient };

export const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ context: { queryClient }, location }) => {
    // Asked for at once, because nearly every page needs it next.
    void queryClient.prefetchQuery(meQuery);
    const { needed } = await queryClient.ensureQueryData(setupQuery);
    if (needed && location.pathname !== "/setup") throw redirect({ to: "/setup", search: { next: location.href } });
  },
});

/** Below it are the pages of signed-in people, inside the shell. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ context: { queryClient }, location }) => {
    const me = await queryClient.ensureQueryData({ ...meQuery, revalidateIfStale: true });
    if (!me) throw redirect({ to: "/sign-in", search: { next: location.href } });
    return { me };
  },
  component: SignedIn,
});

/** Below it are the pages of one organization. */
export const organization = createRoute({
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

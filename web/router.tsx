import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { NotFoundPage } from "./pages/not-found.tsx";
import { PendingPage } from "./pages/pending.tsx";
import { ProblemPage } from "./pages/problem.tsx";
import { organization, root, signedIn } from "./routes/frame.tsx";
import { frontRoutes, personalRoutes } from "./routes/front.tsx";
import { organizationRoutes } from "./routes/organization.tsx";
import type { NavigationEntry } from "./shell/navigation.tsx";

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
  interface StaticDataRouteOption {
    /** Puts a page below `/o/$organizationId` into the navigation. */
    navigation?: NavigationEntry;
    /** The menu beside the page is a rail. */
    needsRoom?: boolean;
  }
}

/** Every page has its route in `routes/` and nowhere else; `navigation` puts it into the menu. */
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

const routeTree = root.addChildren([
  ...frontRoutes,
  signedIn.addChildren([...personalRoutes, organization.addChildren(organizationRoutes)]),
]);

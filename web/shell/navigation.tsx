import { Link, useRouter } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";

export type NavigationEntry = { label: string; Icon: LucideIcon };

/** Every route below `/o/$organizationId` that carries a `navigation` entry, in the order of router.tsx. */
export function Navigation({ organizationId }: { organizationId: string }) {
  const routes = Object.values(useRouter().routesById);
  return (
    <nav aria-label="Organization">
      <ul className="grid gap-0.5">
        {routes.map((route) => {
          const entry = route.options.staticData?.navigation;
          return entry && <NavigationLink key={route.id} to={route.fullPath} organizationId={organizationId} entry={entry} />;
        })}
      </ul>
    </nav>
  );
}

function NavigationLink({ to, organizationId, entry }: { to: string; organizationId: string; entry: NavigationEntry }) {
  return (
    <li>
      <Link
        to={to}
        params={{ organizationId }}
        activeOptions={{ exact: to.endsWith("$organizationId/") }}
        className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
      >
        <entry.Icon className="size-4 shrink-0" aria-hidden="true" />
        {entry.label}
      </Link>
    </li>
  );
}

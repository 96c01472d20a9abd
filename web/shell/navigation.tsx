import { Link, useRouter } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";

/** Entries of the same group stand together under its name. */
export type NavigationEntry = {
  label: string;
  Icon: LucideIcon;
  group?: "Build" | "Watch" | "Connect" | "Organization";
};

/** Every route below `/o/$organizationId` that carries a `navigation` entry, in the order of routes/organization.tsx. */
export function Navigation({ organizationId, isRail }: { organizationId: string; isRail: boolean }) {
  const entries = Object.values(useRouter().routesById).flatMap((route) => {
    const entry = route.options.staticData?.navigation;
    return entry ? [{ to: route.fullPath, entry }] : [];
  });
  const groups = [...Map.groupBy(entries, ({ entry }) => entry.group)];
  return (
    <nav aria-label="Organization" className={`grid gap-4 ${isRail ? "md:gap-2 md:px-2" : ""}`}>
      {groups.map(([group = "", links]) => (
        <div key={group} className={`grid gap-0.5 ${isRail && group ? "md:border-t md:border-line md:pt-2" : ""}`}>
          {group && (
            <p className={`px-2.5 pb-1 text-xs font-medium text-muted ${isRail ? "md:sr-only" : ""}`}>{group}</p>
          )}
          <ul className="grid gap-0.5">
            {links.map(({ to, entry }) => (
              <NavigationLink key={to} to={to} organizationId={organizationId} entry={entry} isRail={isRail} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

type NavigationLinkProps = { to: string; organizationId: string; entry: NavigationEntry; isRail: boolean };

function NavigationLink({ to, organizationId, entry, isRail }: NavigationLinkProps) {
  return (
    <li>
      <Link
        to={to}
        params={{ organizationId }}
        activeOptions={{ exact: to.endsWith("$organizationId/"), includeSearch: false }}
        {...(isRail ? { title: entry.label } : {})}
        className={`flex min-h-9 items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent ${isRail ? "md:justify-center md:px-0" : ""}`}
      >
        <entry.Icon className="size-4 shrink-0" aria-hidden="true" />
        <span className={isRail ? "md:sr-only" : ""}>{entry.label}</span>
      </Link>
    </li>
  );
}

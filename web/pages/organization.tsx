import { Link, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { Page } from "../parts/page.tsx";
import { type MyOrganization, managesMembers, useOrganization } from "../session.ts";
import { DangerZone } from "./organization/danger-zone.tsx";
import { EventEndpoints } from "./organization/event-endpoints.tsx";
import { Overview } from "./organization/overview.tsx";
import { Settings } from "./organization/settings.tsx";
import { Variables } from "./organization/variables.tsx";

export function OrganizationPage() {
  const organization = useOrganization();
  const { tab } = useSearch({ from: "/signed-in/o/$organizationId/organization" });
  const shown = tabs.filter(({ isForManagers }) => !isForManagers || managesMembers(organization.role));
  const current = shown.find(({ id }) => id === tab) ?? overview;

  return (
    <Page title="Usage and settings" description={`What ${organization.name} does, and how it is set up.`}>
      <nav aria-label="Parts of this page" className="-mt-2 overflow-x-auto overflow-y-hidden border-b border-line">
        <ul className="flex gap-1">
          {shown.map(({ id, label }) => (
            <li key={id}>
              <Link
                to="/o/$organizationId/organization"
                params={{ organizationId: organization.id }}
                search={{ tab: id }}
                aria-current={id === current.id ? "page" : undefined}
                className="-mb-px block border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <current.Content organization={organization} />
    </Page>
  );
}

type Tab = {
  id: string;
  label: string;
  Content: ComponentType<{ organization: MyOrganization }>;
  isForManagers?: true;
};

const overview: Tab = { id: "overview", label: "Overview", Content: Overview };
const tabs: Tab[] = [
  overview,
  { id: "settings", label: "Settings", Content: Settings },
  { id: "variables", label: "Variables", Content: Variables },
  { id: "events", label: "Events", Content: EventEndpoints, isForManagers: true },
  { id: "danger", label: "Danger zone", Content: DangerZone },
];

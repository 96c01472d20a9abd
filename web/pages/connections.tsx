import { Page } from "../parts/page.tsx";
import { managesMembers, useOrganization } from "../session.ts";
import { ConnectGuide } from "./connections/connect-guide.tsx";
import { ConnectionList } from "./connections/connection-list.tsx";

export function ConnectionsPage() {
  const organization = useOrganization();
  return (
    <Page
      title="Connected applications"
      description={
        managesMembers(organization.role)
          ? `Applications that members let act on ${organization.name}.`
          : `Applications that you let act on ${organization.name}.`
      }
    >
      <ConnectionList organization={organization} />
      <ConnectGuide organization={organization} />
    </Page>
  );
}

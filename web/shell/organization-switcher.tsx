import { useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown, Plus } from "lucide-react";
import { useState } from "react";
import { Avatar } from "../parts/avatar.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Menu, MenuChoice, MenuItem, MenuLine } from "../parts/menu.tsx";
import { type MyOrganization, roleNames, useMe } from "../session.ts";
import { NewOrganizationForm } from "./new-organization-form.tsx";

type OrganizationSwitcherProps = { current: MyOrganization | undefined; isRail: boolean };

export function OrganizationSwitcher({ current, isRail }: OrganizationSwitcherProps) {
  const { organizations, mayCreateOrganizations } = useMe();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const options = organizations.map((organization) => ({
    value: organization.id,
    content: <OrganizationLine organization={organization} />,
  }));

  return (
    <>
      <Menu
        label={current ? `Organization: ${current.name} ${roleNames[current.role]}` : "Organization: No organization"}
        trigger={
          <>
            {current ? (
              <OrganizationLine organization={current} isRail={isRail} />
            ) : (
              <span className="text-muted">No organization</span>
            )}
            <ChevronsUpDown
              className={`ml-auto size-4 shrink-0 text-muted ${isRail ? "md:hidden" : ""}`}
              aria-hidden="true"
            />
          </>
        }
      >
        {organizations.length > 0 && (
          <>
            <MenuChoice
              label="Organizations"
              value={current?.id ?? ""}
              onChange={(organizationId) => void navigate({ to: "/o/$organizationId", params: { organizationId } })}
              options={options}
            />
            {mayCreateOrganizations && <MenuLine />}
          </>
        )}
        {mayCreateOrganizations && (
          <MenuItem onSelect={() => setCreating(true)}>
            <Plus className="size-4" aria-hidden="true" />
            New organization…
          </MenuItem>
        )}
      </Menu>
      <Dialog
        open={creating}
        onOpenChange={setCreating}
        title="New organization"
        description="Workflows, keys, credentials and history belong to an organization. You become its owner."
      >
        <NewOrganizationForm onCreated={() => setCreating(false)} />
      </Dialog>
    </>
  );
}

type OrganizationLineProps = { organization: MyOrganization; isRail?: boolean };

function OrganizationLine({ organization, isRail = false }: OrganizationLineProps) {
  return (
    <>
      <Avatar name={organization.name} square />
      <span className={`grid min-w-0 ${isRail ? "md:sr-only" : ""}`}>
        <span className="truncate font-medium">{organization.name}</span>{" "}
        <span className="truncate text-xs text-muted">{roleNames[organization.role]}</span>
      </span>
    </>
  );
}

import { UserPlus } from "lucide-react";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Page } from "../parts/page.tsx";
import { managesMembers, useOrganization } from "../session.ts";
import { InvitationList } from "./members/invitation-list.tsx";
import { InviteForm } from "./members/invite-form.tsx";
import { MemberList } from "./members/member-list.tsx";
import { RoleGuide } from "./members/role-guide.tsx";

export function MembersPage() {
  const organization = useOrganization();
  const manages = managesMembers(organization.role);
  const [inviting, setInviting] = useState(false);

  return (
    <Page
      title="Members"
      description={
        manages
          ? `Who belongs to ${organization.name}, and what each may do.`
          : `Who belongs to ${organization.name}. Owners and admins change this list.`
      }
      action={
        manages && (
          <Button look="primary" onClick={() => setInviting(true)}>
            <UserPlus className="size-4" aria-hidden="true" />
            Invite
          </Button>
        )
      }
    >
      <MemberList organization={organization} />
      {manages && <InvitationList organization={organization} />}
      <RoleGuide />
      <Dialog open={inviting} onOpenChange={setInviting} title={`Invite to ${organization.name}`}>
        <InviteForm organization={organization} onClose={() => setInviting(false)} />
      </Dialog>
    </Page>
  );
}

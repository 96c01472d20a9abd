import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedInvitation } from "../../../src/identity/wire.ts";
import { api } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Form } from "../../parts/form.tsx";
import { Notice } from "../../parts/notice.tsx";
import { RoleField } from "../../parts/role-field.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { invitationsQuery } from "../../queries.ts";
import { grantableRoles, type MyOrganization } from "../../session.ts";

export function InviteForm({ organization, onClose }: { organization: MyOrganization; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<CreatedInvitation>();
  const roles = grantableRoles(organization.role);

  if (created) {
    return (
      <div className="grid gap-4">
        <Notice kind="success">{created.email} is invited.</Notice>
        <CopyField label="Invitation link" text={created.link} />
        <p className="text-sm text-muted">
          Send it to {created.email} yourself, in case no mail arrives. It is shown only now.
        </p>
        <Button look="primary" className="justify-self-start" onClick={onClose}>
          Done
        </Button>
      </div>
    );
  }

  return (
    <Form
      submit="Invite"
      send={async (field) => {
        const role = roles.find((entry) => entry === field("role")) ?? "member";
        setCreated(await api.invite(organization.id, { email: field("email"), role }));
        await queryClient.invalidateQueries(invitationsQuery(organization.id));
      }}
    >
      <TextField label="Email" name="email" type="email" autoComplete="off" maxLength={254} />
      <RoleField roles={roles} initial="member" />
    </Form>
  );
}

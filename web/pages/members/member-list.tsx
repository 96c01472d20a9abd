import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Member, Role } from "../../../src/identity/wire.ts";
import { api } from "../../api.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { membersQuery, meQuery } from "../../queries.ts";
import { grantableRoles, type MyOrganization, managesMembers, roleNames, useMe } from "../../session.ts";

export function MemberList({ organization }: { organization: MyOrganization }) {
  const members = useSuspenseQuery(membersQuery(organization.id)).data;
  const refresh = useRefresh(organization.id);
  const [removing, setRemoving] = useState<Member>();
  const changeRole = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Role }) =>
      api.changeMember(organization.id, member.id, { role }),
    onSettled: refresh,
  });

  return (
    <section aria-label="Members" className="rounded-xl border border-line bg-surface">
      {changeRole.isError && (
        <div className="p-4">
          <ProblemNotice error={changeRole.error} />
        </div>
      )}
      <ul className="divide-y divide-line">
        {members.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            mine={organization.role}
            onRole={(role) => changeRole.mutate({ member, role })}
            onRemove={() => setRemoving(member)}
          />
        ))}
      </ul>
      {removing && (
        <RemoveDialog
          organization={organization}
          member={removing}
          onRemoved={refresh}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </section>
  );
}

type RemoveDialogProps = {
  organization: MyOrganization;
  member: Member;
  onRemoved: () => Promise<void>;
  onClose: () => void;
};

function RemoveDialog({ organization, member, onRemoved, onClose }: RemoveDialogProps) {
  if (useIsMe(member)) {
    return (
      <ConfirmDialog
        title={`Leave ${organization.name}?`}
        description="You lose access at once. To come back, someone has to invite you."
        confirm="Leave"
        // A full page load, so that nothing of the organization stays in memory.
        act={() => api.leaveOrganization(organization.id).then(() => location.assign("/"))}
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmDialog
      title={`Remove ${member.name}?`}
      description={`${member.email} loses access to ${organization.name} at once. You can invite them again.`}
      confirm="Remove"
      act={() => api.removeMember(organization.id, member.id).then(onRemoved)}
      onClose={onClose}
    />
  );
}

type MemberRowProps = { member: Member; mine: Role; onRole: (role: Role) => void; onRemove: () => void };

function MemberRow({ member, mine, onRole, onRemove }: MemberRowProps) {
  const isMe = useIsMe(member);
  const roles = grantableRoles(mine);
  const editable = managesMembers(mine) && roles.includes(member.role);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4 sm:px-6">
      <Avatar name={member.name} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-medium wrap-anywhere">
          {member.name} {isMe && <span className="font-normal text-muted">(you)</span>}
        </p>
        <p className="text-sm text-muted wrap-anywhere">{member.email}</p>
      </div>
      <div className="flex items-center gap-2">
        {editable ? (
          <RoleSelect member={member} roles={roles} onRole={onRole} />
        ) : (
          <Badge>{roleNames[member.role]}</Badge>
        )}
        {(editable || isMe) && (
          <Button
            look="danger"
            className="min-w-22"
            aria-label={isMe ? undefined : `Remove ${member.name}`}
            onClick={onRemove}
          >
            {isMe ? "Leave" : "Remove"}
          </Button>
        )}
      </div>
    </li>
  );
}

function RoleSelect({ member, roles, onRole }: { member: Member; roles: Role[]; onRole: (role: Role) => void }) {
  return (
    <select
      aria-label={`Role of ${member.name}`}
      value={member.role}
      onChange={(event) => onRole(roles.find((role) => role === event.target.value) ?? member.role)}
      className="min-h-9 rounded-md border border-field bg-surface px-2.5 py-1.5 text-sm"
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {roleNames[role]}
        </option>
      ))}
    </select>
  );
}

function useIsMe(member: Member): boolean {
  return useMe().user.id === member.userId;
}

/** Changing members can change one's own role too. */
function useRefresh(organizationId: string) {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries(membersQuery(organizationId)),
      queryClient.invalidateQueries(meQuery),
    ]).then(() => undefined);
}

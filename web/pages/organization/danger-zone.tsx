import { useState } from "react";
import { api } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { MyOrganization } from "../../session.ts";
import { DeleteDialog } from "./delete-dialog.tsx";

export function DangerZone({ organization }: { organization: MyOrganization }) {
  const [asking, setAsking] = useState<"leave" | "delete">();
  const close = () => setAsking(undefined);
  return (
    <>
      <Card
        title={`Leave ${organization.name}`}
        description="You lose access at once. To come back, someone has to invite you. The last owner cannot leave."
        action={
          <Button look="danger" onClick={() => setAsking("leave")}>
            Leave
          </Button>
        }
      />
      {organization.role === "owner" && (
        <Card
          title={`Delete ${organization.name}`}
          description="With everything in it, for all its members. It cannot be brought back."
          action={
            <Button look="danger" onClick={() => setAsking("delete")}>
              Delete this organization
            </Button>
          }
        />
      )}
      {asking === "leave" && (
        <ConfirmDialog
          title={`Leave ${organization.name}?`}
          description="You lose access at once. To come back, someone has to invite you."
          confirm="Leave"
          // A full page load, so that nothing of the organization stays in memory.
          act={() => api.leaveOrganization(organization.id).then(() => location.assign("/"))}
          onClose={close}
        />
      )}
      {asking === "delete" && <DeleteDialog organization={organization} onClose={close} />}
    </>
  );
}

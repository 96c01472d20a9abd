import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKeyWithText } from "../../../src/identity/wire.ts";
import { apiKeysQuery } from "../../api/api-keys.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useGuardedClose } from "../../parts/use-guarded-close.ts";
import type { MyOrganization } from "../../session.ts";
import { CreateKeyForm } from "./create-key-form.tsx";
import { scopesInOrder } from "./scopes.ts";
import { ShownOnce } from "./shown-once.tsx";

type CreateKeyDialogProps = {
  organization: MyOrganization;
  /** The scope that the page which led here asks for, if it is one. */
  wanted: string;
  onClose: () => void;
};

export function CreateKeyDialog({ organization, wanted, onClose }: CreateKeyDialogProps) {
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<ApiKeyWithText>();
  const { close, warned } = useGuardedClose(created !== undefined, onClose);

  return (
    <Dialog
      open
      wide
      onOpenChange={close}
      title={created ? `Key ${created.name} is created` : "Create an API key"}
      {...(!created && { description: `It acts for ${organization.name}. Give it only what its user needs.` })}
    >
      {created ? (
        <ShownOnce created={created} organizationId={organization.id} warned={warned} onDone={onClose} />
      ) : (
        <CreateKeyForm
          organizationId={organization.id}
          initialScopes={scopesInOrder.filter((scope) => scope === wanted)}
          onCreated={(key) => {
            setCreated(key);
            void queryClient.invalidateQueries(apiKeysQuery(organization.id));
          }}
        />
      )}
    </Dialog>
  );
}

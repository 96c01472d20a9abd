import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { credentialsKey } from "../../api/credentials.ts";
import { credentialTypesQuery } from "../../catalog.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { managesMembers, useOrganization } from "../../session.ts";
import { NewCredential, type Saved } from "./new-credential.tsx";
import { ProviderChoice } from "./provider-choice.tsx";

type CredentialDialogProps = {
  organizationId: string;
  /** Undefined: the person chooses the service first. */
  type?: string | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onCreated: (credential: Saved) => void;
};

/** Creates a credential by its fields, or connects one at the provider in another tab; the page below stays as it is. */
export function CredentialDialog({ organizationId, type, open, onOpenChange, onCreated }: CredentialDialogProps) {
  const types = useQuery({ ...credentialTypesQuery, enabled: open }).data;
  const [chosen, setChosen] = useState<CredentialTypeEntry>();
  const queryClient = useQueryClient();
  const entry = type === undefined ? chosen : types?.find((candidate) => candidate.type === type);

  function close() {
    setChosen(undefined);
    onOpenChange(false);
    void queryClient.invalidateQueries({ queryKey: credentialsKey(organizationId) });
  }

  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={entry ? `New ${entry.provider.title} credential` : "New credential"}
    >
      <Steps
        type={entry}
        isGiven={type !== undefined}
        organizationId={organizationId}
        onChoose={setChosen}
        onSaved={(saved) => {
          close();
          onCreated(saved);
        }}
      />
    </Dialog>
  );
}

type StepsProps = {
  type: CredentialTypeEntry | undefined;
  isGiven: boolean;
  organizationId: string;
  onChoose: (type: CredentialTypeEntry | undefined) => void;
  onSaved: (saved: Saved) => void;
};

function Steps({ type, isGiven, organizationId, onChoose, onSaved }: StepsProps) {
  const { role, name } = useOrganization();
  if (!managesMembers(role))
    return (
      <Notice kind="hint">
        Owners and admins of {name} add credentials. Ask one of them; members use what is there.
      </Notice>
    );
  if (type)
    return (
      <NewCredential
        key={type.type}
        organizationId={organizationId}
        type={type}
        onSaved={onSaved}
        {...(isGiven ? {} : { onBack: () => onChoose(undefined) })}
      />
    );
  if (!isGiven) return <ProviderChoice onChoose={onChoose} />;
  return (
    <Loading what="the fields">
      <Skeleton className="h-40" />
    </Loading>
  );
}

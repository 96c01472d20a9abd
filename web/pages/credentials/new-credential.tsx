import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import {
  connectCredential,
  connectNewCredential,
  createCredential,
  credentialsKey,
  deleteCredential,
  testCredential,
} from "../../api/credentials.ts";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ConnectWait } from "./connect-wait.tsx";
import { filledValues, type Variant } from "./credential-fields.ts";
import { CredentialForm, type Draft } from "./credential-form.tsx";
import { useCurrentDefault } from "./default-field.tsx";
import { openTab } from "./open-tab.ts";

export type Saved = { id: string; reference: string; name: string };

type NewCredentialProps = {
  organizationId: string;
  type: CredentialTypeEntry;
  /** Leads to the choice of the service. */
  onBack?: () => void;
  onSaved: (saved: Saved) => void;
};

/** What stands on the server already, but does not work yet. */
type Begun = { saved: Saved; complaint: string } | { saved: Saved; authorizeUrl: string };

export function NewCredential({ organizationId, type, onBack, onSaved }: NewCredentialProps) {
  const [draft, setDraft] = useState<Draft>({ name: type.title, kind: type.variants[0]?.kind ?? "", data: {} });
  const [begun, setBegun] = useState<Begun>();
  const queryClient = useQueryClient();
  const variant = type.variants.find(({ kind }) => kind === draft.kind);
  const { current, isFirst = false } = useCurrentDefault(organizationId, type.type);
  const makeDefault = current === undefined && (draft.makeDefault ?? isFirst);

  const save = useMutation({
    mutationFn: async (chosen: Variant): Promise<Begun> => {
      const data = { ...filledValues(draft.data), ...(type.variants.length > 1 ? { kind: chosen.kind } : {}) };
      const body = { type: type.type, name: draft.name, data, makeDefault };
      if (chosen.isOAuth2) return await connectNew(organizationId, body);
      const saved = await createCredential(organizationId, body);
      const { ok, message } = await testCredential(organizationId, saved.id);
      return { saved, complaint: ok ? "" : message };
    },
    // What was proposed for the first account stays chosen, although there is one now.
    onMutate: () => setDraft({ ...draft, makeDefault }),
    onSuccess: (next) => {
      if ("complaint" in next && next.complaint === "") onSaved(next.saved);
      else setBegun(next);
    },
  });

  /** Back to the fields: what was begun with the wrong ones goes. */
  async function changeFields({ saved }: Begun) {
    await deleteCredential(organizationId, saved.id, true).catch(() => undefined);
    await queryClient.invalidateQueries({ queryKey: credentialsKey(organizationId) });
    setBegun(undefined);
  }

  if (begun && "authorizeUrl" in begun)
    return (
      <ConnectWait
        organizationId={organizationId}
        credentialId={begun.saved.id}
        title={type.provider.title}
        authorizeUrl={begun.authorizeUrl}
        onConnected={() => onSaved(begun.saved)}
        onAgain={async () =>
          setBegun({ ...begun, authorizeUrl: (await connectCredential(organizationId, begun.saved.id)).authorizeUrl })
        }
        onChange={() => void changeFields(begun)}
      />
    );
  if (begun)
    return (
      <div className="grid gap-4">
        <Notice kind="warning">
          <p className="font-medium">It is saved, but it does not work yet.</p>
          <p>{begun.complaint}</p>
        </Notice>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => void changeFields(begun)}>
            Change the fields
          </Button>
          <Button onClick={() => onSaved(begun.saved)}>Keep it anyway</Button>
        </div>
      </div>
    );
  return (
    <CredentialForm
      organizationId={organizationId}
      type={type}
      draft={draft}
      onChange={setDraft}
      onSubmit={() => variant && save.mutate(variant)}
      busy={save.isPending}
      error={save.error}
      {...(onBack ? { onBack } : {})}
    />
  );
}

async function connectNew(organizationId: string, body: Parameters<typeof connectNewCredential>[1]): Promise<Begun> {
  const { credentialId: id, authorizeUrl } = await connectNewCredential(organizationId, body);
  openTab(authorizeUrl);
  return { saved: { id, reference: `credential:organization:${id}`, name: body.name }, authorizeUrl };
}

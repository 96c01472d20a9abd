import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PollEntry } from "../../../src/catalog/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { useDefault } from "../../node-form/panel/credential-field.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { CredentialDialog } from "../credentials/credential-dialog.tsx";
import { HealthBadge } from "../credentials/health-badge.tsx";

type PollAccount = ReturnType<typeof usePollAccount>;

/** The accounts that a poll can look with, and the one it does: the chosen one, or the default where one is needed. */
export function usePollAccount(organizationId: string, poll: PollEntry | undefined, wanted: string | undefined) {
  const type = poll?.credentials[0] ?? "";
  const accounts = useQuery(credentialsQuery(organizationId)).data?.filter((account) => account.type === type);
  const standard = useDefault(organizationId, type);
  const usual = poll?.worksWithoutAccount ? "" : (standard?.id ?? accounts?.[0]?.id ?? "");
  return { type, accounts, chosenId: wanted ?? usual };
}

type PollAccountFieldProps = {
  organizationId: string;
  poll: PollEntry;
  account: PollAccount;
  onChange: (credentialId: string) => void;
};

export function PollAccountField({ organizationId, poll, account, onChange }: PollAccountFieldProps) {
  const { type, accounts, chosenId } = account;
  const [isCreating, setCreating] = useState(false);
  const { title } = poll.provider;
  const chosen = accounts?.find(({ id }) => id === chosenId);
  const create = () => setCreating(true);
  return (
    <>
      {accounts?.length === 0 && !poll.worksWithoutAccount ? (
        <Notice kind="hint" action={<Button onClick={create}>Create or connect</Button>}>
          Connect an account of {title} first.
        </Notice>
      ) : (
        <Field
          label={`${title} account`}
          name="credentialId"
          control={(control) => (
            <div className="flex flex-wrap items-center gap-2">
              <select
                {...control}
                required={!poll.worksWithoutAccount}
                value={chosenId}
                onChange={(event) => onChange(event.target.value)}
                className={`${control.className} flex-1 basis-44`}
              >
                {poll.worksWithoutAccount && <option value="">None</option>}
                {accounts?.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
                {chosenId !== "" && accounts && !chosen && <option value={chosenId}>An account that is gone</option>}
              </select>
              {chosen && <HealthBadge health={chosen.health} />}
              <Button onClick={create}>Create or connect</Button>
            </div>
          )}
        />
      )}
      <CredentialDialog
        organizationId={organizationId}
        type={type}
        open={isCreating}
        onOpenChange={setCreating}
        onCreated={({ id }) => onChange(id)}
      />
    </>
  );
}

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import type { ApiKey } from "../../../src/identity/wire.ts";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { removeKeyCredential, setKeyCredential } from "../../api/api-keys.ts";
import { credentialsQuery, defaultCredentialsQuery } from "../../api/credentials.ts";
import { credentialTypesQuery } from "../../catalog.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { MyOrganization } from "../../session.ts";

type KeyAccountsDialogProps = { organization: MyOrganization; apiKey: ApiKey; onClose: () => void };

/** Which account a call with this key uses when it names none. Each choice holds at once. */
export function KeyAccountsDialog({ organization, apiKey, onClose }: KeyAccountsDialogProps) {
  const credentials = useQuery(credentialsQuery(organization.id));
  const defaults = useQuery(defaultCredentialsQuery(organization.id));
  const types = useQuery(credentialTypesQuery);
  const queryClient = useQueryClient();
  const choose = useMutation({
    mutationFn: ({ type, credentialId }: { type: string; credentialId: string }) =>
      credentialId === ""
        ? removeKeyCredential(organization.id, apiKey.id, type)
        : setKeyCredential(organization.id, apiKey.id, type, credentialId),
    onSettled: () => queryClient.invalidateQueries(defaultCredentialsQuery(organization.id)),
  });
  const error = credentials.error ?? defaults.error ?? types.error ?? choose.error;
  const groups = credentials.data && [...Map.groupBy(credentials.data, ({ type }) => type)];

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Accounts of ${apiKey.name}`}
      description="What a call with this key uses when it names no account itself. This goes before the default of the organization."
    >
      <div className="grid gap-4">
        {error && <ProblemNotice error={error} />}
        {!error && !(groups && defaults.data) && (
          <Loading what="the accounts">
            <Skeleton className="h-10 w-full" />
          </Loading>
        )}
        {groups?.length === 0 && <NoAccounts organizationId={organization.id} />}
        {defaults.data &&
          groups?.map(([type, accounts]) => (
            <AccountSelect
              key={type}
              title={types.data?.find((entry) => entry.type === type)?.title ?? type}
              accounts={accounts}
              chosen={
                defaults.data.find((entry) => entry.type === type && entry.apiKeyId === apiKey.id)?.credentialId ?? ""
              }
              shared={defaults.data.find((entry) => entry.type === type && entry.apiKeyId === null)?.credentialId}
              onChoose={(credentialId) => choose.mutate({ type, credentialId })}
            />
          ))}
      </div>
    </Dialog>
  );
}

type AccountSelectProps = {
  title: string;
  accounts: CredentialSummary[];
  chosen: string;
  shared: string | undefined;
  onChoose: (credentialId: string) => void;
};

function AccountSelect({ title, accounts, chosen, shared, onChoose }: AccountSelectProps) {
  const id = useId();
  const sharedName = accounts.find((account) => account.id === shared)?.name;
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {title}
      </label>
      <select id={id} className={controlLook} value={chosen} onChange={(event) => onChoose(event.target.value)}>
        <option value="">{sharedName ? `Default of the organization: ${sharedName}` : "None: calls name one"}</option>
        {accounts.map((account) => (
          <option key={account.id} value={account.id}>
            {account.name}
          </option>
        ))}
      </select>
    </div>
  );
}

function NoAccounts({ organizationId }: { organizationId: string }) {
  return (
    <p className="text-sm text-muted">
      No account is connected yet.{" "}
      <Link
        to="/o/$organizationId/credentials"
        params={{ organizationId }}
        className="text-accent underline underline-offset-4"
      >
        Connect one
      </Link>{" "}
      first.
    </p>
  );
}

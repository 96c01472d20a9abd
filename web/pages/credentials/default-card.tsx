import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import {
  credentialsKey,
  credentialsQuery,
  defaultCredentialsQuery,
  removeDefaultCredential,
  setDefaultCredential,
} from "../../api/credentials.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { type MyOrganization, managesMembers } from "../../session.ts";

type DefaultCardProps = {
  organization: MyOrganization;
  credential: CredentialSummary;
  /** Of the type. */
  title: string;
};

/** Whether tool calls that name no credential of this type use this one. */
export function DefaultCard({ organization, credential, title }: DefaultCardProps) {
  const queryClient = useQueryClient();
  const defaults = useQuery(defaultCredentialsQuery(organization.id));
  const credentials = useQuery(credentialsQuery(organization.id)).data ?? [];
  const current = defaults.data?.find(({ type, apiKeyId }) => type === credential.type && apiKeyId === null);
  const isThis = current?.credentialId === credential.id;
  const other = current && !isThis ? credentials.find(({ id }) => id === current.credentialId) : undefined;
  const change = useMutation({
    mutationFn: async () => {
      if (isThis) await removeDefaultCredential(organization.id, credential.type);
      else await setDefaultCredential(organization.id, credential.type, credential.id);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: credentialsKey(organization.id) }),
  });

  return (
    <Card
      title="Default"
      description={
        isThis
          ? `Tool calls and nodes that name no ${title} credential use this one.`
          : other
            ? `Calls that name no ${title} credential use "${other.name}".`
            : `Calls that name no ${title} credential are refused. Make this one the default to let them use it.`
      }
      action={
        managesMembers(organization.role) &&
        defaults.isSuccess && (
          <Button busy={change.isPending} onClick={() => change.mutate()}>
            {isThis ? "Stop using it as default" : "Make it the default"}
          </Button>
        )
      }
    >
      {change.isError && <ProblemNotice error={change.error} />}
    </Card>
  );
}

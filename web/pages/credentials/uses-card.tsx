import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type CredentialUses, credentialUsesQuery } from "../../api/credentials.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";

/** Which workflows, triggers and keys stop working without the credential. */
export function UsesCard({ organizationId, credentialId }: { organizationId: string; credentialId: string }) {
  const { data: uses, error, refetch } = useQuery(credentialUsesQuery(organizationId, credentialId));
  return (
    <Card title="Where it is used">
      {uses && <Uses organizationId={organizationId} uses={uses} />}
      {!uses && error && (
        <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      )}
      {!uses && !error && (
        <Loading what="where it is used">
          <Skeleton className="h-8" />
        </Loading>
      )}
    </Card>
  );
}

function Uses({
  organizationId,
  uses: { workflows, triggers, defaults },
}: {
  organizationId: string;
  uses: CredentialUses;
}) {
  const keys = defaults.filter(({ apiKeyId }) => apiKeyId !== null);
  if (workflows.length + triggers.length + defaults.length === 0)
    return (
      <p className="text-sm text-muted">
        Nowhere yet. Choose it in a node of a workflow, or name its reference in a tool call.
      </p>
    );
  return (
    <ul className="-my-2 divide-y divide-line text-sm">
      {workflows.map(({ id, name, nodes }) => (
        <li key={id} className="grid gap-1 py-2.5">
          <Link
            to="/o/$organizationId/workflows/$workflowId"
            params={{ organizationId, workflowId: id }}
            search={nodes[0] ? { node: nodes[0].id } : {}}
            className="justify-self-start font-medium wrap-anywhere text-accent hover:underline"
          >
            {name}
          </Link>
          <span className="wrap-anywhere text-muted">
            Workflow, {nodes.length === 1 ? "node" : "nodes"} {nodes.map((node) => node.name ?? node.nodeId).join(", ")}
          </span>
        </li>
      ))}
      {triggers.map(({ id, name }) => (
        <li key={id} className="grid gap-1 py-2.5">
          <Link
            to="/o/$organizationId/triggers"
            params={{ organizationId }}
            search={{ trigger: id }}
            className="justify-self-start font-medium wrap-anywhere text-accent hover:underline"
          >
            {name}
          </Link>
          <span className="text-muted">Trigger</span>
        </li>
      ))}
      {defaults.length > keys.length && <li className="py-2.5">Default of the organization</li>}
      {keys.map(({ apiKeyId, apiKeyName, type }) => (
        <li key={`${apiKeyId} ${type}`} className="py-2.5 wrap-anywhere">
          Default of the API key {apiKeyName}
        </li>
      ))}
    </ul>
  );
}

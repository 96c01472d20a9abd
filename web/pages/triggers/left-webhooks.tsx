import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { WebhookRemoval } from "../../../src/triggers/wire.ts";
import { forgetRemoval, retryRemoval, triggersKey, webhookRemovalsQuery } from "../../api/triggers.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import { type MyOrganization, managesMembers } from "../../session.ts";
import { senderOf } from "./senders.ts";

/** Webhooks that are deleted here and could not be removed at their providers, for those who may see them. Nothing where there are none. */
export function LeftWebhooks({ organization: { id: organizationId, role } }: { organization: MyOrganization }) {
  const { data = [] } = useQuery({
    ...webhookRemovalsQuery(organizationId),
    enabled: managesMembers(role),
    refetchInterval: 30_000,
  });
  if (data.length === 0) return null;
  return (
    <Card
      title="Left at services"
      description="These webhooks are deleted here, but the service could not be told. What it delivers starts nothing."
    >
      <ul className="divide-y divide-line">
        {data.map((left) => (
          <LeftWebhook key={left.id} organizationId={organizationId} left={left} />
        ))}
      </ul>
    </Card>
  );
}

function LeftWebhook({ organizationId, left }: { organizationId: string; left: WebhookRemoval }) {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: triggersKey(organizationId) });
  const retry = useMutation({ mutationFn: () => retryRemoval(organizationId, left.id), onSettled: refresh });
  const forget = useMutation({ mutationFn: () => forgetRemoval(organizationId, left.id), onSettled: refresh });
  const failed = retry.error ?? forget.error;
  return (
    <li className="flex flex-wrap items-start gap-3 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-64 text-sm wrap-anywhere">
        <p className="font-medium">
          {senderOf({ provider: left.provider, signature: null })?.title ?? left.provider}
          {left.place && `, ${left.place}`}
        </p>
        <p className="text-muted">
          Of “{left.triggerName}” for {left.workflowName}. {left.reason}
        </p>
        <p className="text-muted">
          {left.nextTryAt ? (
            <>
              Tried again <TimeAgo at={left.nextTryAt} near="in a moment" />.
            </>
          ) : (
            "It is not tried again by itself: remove it at the service."
          )}
        </p>
        {failed && <ProblemNotice error={failed} />}
      </div>
      <Button busy={retry.isPending} onClick={() => retry.mutate()}>
        Try now
      </Button>
      <Button look="bare" busy={forget.isPending} onClick={() => forget.mutate()}>
        I removed it
      </Button>
    </li>
  );
}

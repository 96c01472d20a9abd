import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, Clock } from "lucide-react";
import type { EventDelivery, EventEndpoint } from "../../../src/events/wire.ts";
import { deliveriesQuery, redeliverEvent } from "../../api/organization.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import { describeEvent } from "./event-words.ts";

/** The newest messages to an endpoint and what became of them. */
export function Deliveries({ organizationId, endpoint }: { organizationId: string; endpoint: EventEndpoint }) {
  const { data, error, refetch } = useQuery(deliveriesQuery(organizationId, endpoint.id));
  if (data?.data.length === 0)
    return <p className="text-sm text-muted">Nothing was sent yet. Send a test to see whether it arrives.</p>;
  if (data)
    return (
      <ul aria-label={`Deliveries to ${endpoint.url}`} className="divide-y divide-line rounded-lg border border-line">
        {data.data.map((delivery) => (
          <DeliveryItem key={delivery.id} organizationId={organizationId} endpoint={endpoint} delivery={delivery} />
        ))}
      </ul>
    );
  if (error) return <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />;
  return (
    <Loading what="the deliveries">
      <Skeleton className="h-24" />
    </Loading>
  );
}

type DeliveryItemProps = { organizationId: string; endpoint: EventEndpoint; delivery: EventDelivery };

function DeliveryItem({ organizationId, endpoint, delivery }: DeliveryItemProps) {
  const queryClient = useQueryClient();
  const redeliver = useMutation({
    mutationFn: () => redeliverEvent(organizationId, endpoint.id, delivery.id),
    onSettled: () => queryClient.invalidateQueries(deliveriesQuery(organizationId, endpoint.id)),
  });
  const { word, Icon, look } = looks[delivery.status];
  return (
    <li className="grid gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className={`inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
          <Icon className="size-3.5" aria-hidden="true" />
          {word}
        </span>
        <span className="font-medium">{describeEvent(delivery.type)}</span>
        <span className="text-muted">
          <TimeAgo at={delivery.createdAt} />
        </span>
        <span className="flex-1 text-muted">{describeAttempts(delivery)}</span>
        {delivery.status !== "pending" && endpoint.isActive && (
          <Button busy={redeliver.isPending} onClick={() => redeliver.mutate()}>
            Send again
          </Button>
        )}
      </div>
      {delivery.lastError && delivery.status !== "delivered" && (
        <p className="wrap-anywhere text-danger">{delivery.lastError}</p>
      )}
      {redeliver.isError && <ProblemNotice error={redeliver.error} />}
      <details>
        <summary className="cursor-pointer text-xs text-muted hover:text-ink">What is sent</summary>
        <pre className="mt-1 overflow-x-auto rounded-md bg-page p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
          {JSON.stringify(delivery.data, null, 2)}
        </pre>
      </details>
    </li>
  );
}

function describeAttempts({ attempts, lastStatus }: EventDelivery): string {
  const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return lastStatus === null ? times : `${times}, last answer ${lastStatus}`;
}

const looks = {
  pending: { word: "Waiting", Icon: Clock, look: "bg-warning-soft text-warning" },
  delivered: { word: "Delivered", Icon: CircleCheck, look: "bg-success-soft text-success" },
  failed: { word: "Failed", Icon: CircleX, look: "bg-danger-soft text-danger" },
} satisfies Record<EventDelivery["status"], unknown>;

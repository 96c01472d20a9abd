import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleSlash, CircleX, Inbox } from "lucide-react";
import type { WebhookDelivery } from "../../../../src/deliveries/wire.ts";
import { type DeliveryFilter, deliveriesQuery } from "../../../api/deliveries.ts";
import { Button } from "../../../parts/button.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { ProblemNotice } from "../../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../../parts/skeleton.tsx";
import { useLiveDeliveries } from "./use-live-deliveries.ts";

type DeliveryListProps = {
  organizationId: string;
  triggerId: string;
  filter: DeliveryFilter;
  chosenId: string | undefined;
  onChoose: (deliveryId: string) => void;
};

/** What arrived, newest first; it keeps up while it is looked at. */
export function DeliveryList({ organizationId, triggerId, filter, chosenId, onChoose }: DeliveryListProps) {
  const options = deliveriesQuery(organizationId, triggerId, filter);
  const list = useInfiniteQuery(options);
  useLiveDeliveries(organizationId, triggerId, filter);
  if (list.isError && !list.data)
    return <ProblemNotice error={list.error} action={<Button onClick={() => void list.refetch()}>Try again</Button>} />;
  if (list.isPending)
    return (
      <Loading what="the deliveries">
        <Skeleton className="h-40" />
      </Loading>
    );
  const shown = list.data.pages.flatMap(({ data }) => data);
  if (shown.length === 0)
    return (
      <p className="flex items-center gap-2 py-4 text-sm text-muted">
        <Inbox className="size-4" aria-hidden="true" />
        {filter === "all" ? "Nothing has arrived yet." : "None of these has arrived lately."}
      </p>
    );
  return (
    <div className="grid min-w-0 grid-cols-1 gap-2">
      <ul aria-label="Deliveries" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {shown.map((delivery) => (
          <Row
            key={delivery.id}
            organizationId={organizationId}
            delivery={delivery}
            isChosen={delivery.id === chosenId}
            onChoose={() => onChoose(delivery.id)}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button
          className="justify-self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

type RowProps = { organizationId: string; delivery: WebhookDelivery; isChosen: boolean; onChoose: () => void };

function Row({ organizationId, delivery, isChosen, onChoose }: RowProps) {
  return (
    <li className={`flex flex-wrap items-center gap-x-3 px-3 py-1.5 ${isChosen ? "bg-accent-soft" : "hover:bg-hover"}`}>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
        className="flex min-h-9 min-w-0 flex-1 basis-52 items-center gap-3 text-left text-sm outline-offset-[-2px]"
      >
        <Moment at={delivery.receivedAt} show="time" />
        <Answer delivery={delivery} />
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted" title={delivery.preview ?? undefined}>
          {delivery.preview ?? "not kept"}
        </span>
      </button>
      <span className="max-w-full min-w-0 truncate text-xs" title={delivery.reason ?? undefined}>
        {delivery.runId ? (
          <Link
            to="/o/$organizationId/runs/$runId"
            params={{ organizationId, runId: delivery.runId }}
            className="text-accent underline underline-offset-4"
          >
            Open the run
          </Link>
        ) : (
          <span className={delivery.outcome === "refused" ? "text-danger" : "text-muted"}>No run</span>
        )}
      </span>
    </li>
  );
}

function Answer({ delivery: { status, outcome, listened } }: { delivery: WebhookDelivery }) {
  const { word, Icon, look } = looks[outcome];
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      {status}
      <span className="sr-only">{word}</span>
      {listened && " · test"}
    </span>
  );
}

const looks = {
  started: { word: "accepted", Icon: CircleCheck, look: "bg-success-soft text-success" },
  ignored: { word: "accepted, started nothing", Icon: CircleSlash, look: "bg-hover text-ink" },
  refused: { word: "refused", Icon: CircleX, look: "bg-danger-soft text-danger" },
} satisfies Record<WebhookDelivery["outcome"], unknown>;

import { useMutation, useQuery } from "@tanstack/react-query";
import { Pin, Play } from "lucide-react";
import { useState } from "react";
import type { WebhookDeliveryDetail } from "../../../../src/deliveries/wire.ts";
import { deliveryQuery } from "../../../api/deliveries.ts";
import { Button } from "../../../parts/button.tsx";
import { DataViewer } from "../../../parts/data-viewer.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { OneOf } from "../../../parts/one-of.tsx";
import { ProblemNotice } from "../../../parts/problem-notice.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";

export type TriggerData = NonNullable<WebhookDeliveryDetail["data"]>;

type DeliveryDetailProps = {
  organizationId: string;
  triggerId: string;
  deliveryId: string;
  /** Goes on with the data of the event, where there is something to go on with. */
  onUse: ((data: TriggerData) => void) | undefined;
  /** Keeps the data of the event for runs of the editor. */
  onPin: ((data: TriggerData) => Promise<void>) | undefined;
};

/** One delivery: what it brought, what it was answered and why. */
export function DeliveryDetail(props: DeliveryDetailProps) {
  const { organizationId, triggerId, deliveryId, onUse, onPin } = props;
  const { data: delivery, isError, error } = useQuery(deliveryQuery(organizationId, triggerId, deliveryId));
  const [part, setPart] = useState<keyof typeof parts>("body");
  if (isError) return <ProblemNotice error={error} />;
  if (!delivery) return <Skeleton className="h-32" />;
  const { data } = delivery;
  return (
    <section aria-label="Delivery" className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <p className="text-sm text-muted">
          <span className="font-semibold text-ink">
            <Moment at={delivery.receivedAt} show="time" />
          </span>{" "}
          {[delivery.method, delivery.contentType?.split(";")[0], describeBytes(delivery.bytes)]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {data && <OneOf label="Part of the delivery" value={part} options={parts} onChange={setPart} />}
      </div>
      {delivery.reason && (
        <Notice kind={delivery.outcome === "refused" ? "problem" : "hint"}>
          {delivery.reason} Answered with {delivery.status}.
        </Notice>
      )}
      {data ? (
        <DataViewer value={part === "body" ? data.payload : toHead(data)} label={parts[part]} />
      ) : (
        <p className="text-sm text-muted">{notKept(delivery)}</p>
      )}
      {delivery.truncated && <p className="text-xs text-muted">It was too large to be kept whole.</p>}
      {data && <UseEvent data={data} onUse={onUse} onPin={delivery.truncated ? undefined : onPin} />}
    </section>
  );
}

type UseEventProps = Pick<DeliveryDetailProps, "onUse" | "onPin"> & { data: TriggerData };

/** What can be done with an event while a workflow is built. */
function UseEvent({ data, onUse, onPin }: UseEventProps) {
  const pinning = useMutation({ mutationFn: async () => await onPin?.(data) });
  if (!onUse && !onPin) return null;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {onPin && (
          <Button look="primary" busy={pinning.isPending} onClick={() => pinning.mutate()}>
            <Pin className="size-4" aria-hidden="true" />
            Pin as trigger data
          </Button>
        )}
        {onUse && (
          <Button look={onPin ? "quiet" : "primary"} onClick={() => onUse(data)}>
            <Play className="size-4" aria-hidden="true" />
            Run with this event
          </Button>
        )}
      </div>
      {pinning.isError && <ProblemNotice error={pinning.error} />}
      {pinning.isSuccess && (
        <Notice kind="success">Pinned. Runs and expressions in the editor begin with it; published runs do not.</Notice>
      )}
    </div>
  );
}

const parts = { body: "Body", headers: "Headers" } as const;

const toHead = ({ method, query, headers }: TriggerData) => ({ method, query, headers });

const notKept = ({ outcome }: WebhookDeliveryDetail): string =>
  outcome === "refused"
    ? "What it brought is not kept, because it was refused."
    : "What it brought is not kept any more.";

const describeBytes = (bytes: number): string => (bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`);

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { use } from "react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { triggerPinId } from "../../../src/workflows/pin-wire.ts";
import { changeTrigger, triggerQuery, triggersKey } from "../../api/triggers.ts";
import { kindLooks } from "../../pages/triggers/kinds.ts";
import type { TriggerData } from "../../pages/triggers/panel/delivery-detail.tsx";
import { TriggerTabs } from "../../pages/triggers/panel/trigger-tabs.tsx";
import { TriggerFacts } from "../../pages/triggers/trigger-facts.tsx";
import { Button } from "../../parts/button.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Switch } from "../../parts/switch.tsx";
import { ToolButton } from "../flow/tool-button.tsx";
import { SteppingContext } from "../stepping/stepping-context.ts";

type TriggerPanelProps = {
  organizationId: string;
  triggerId: string;
  readOnly: boolean;
  onClose: () => void;
  /** Starts a run of the editor with the data of an event. */
  onUse: (data: TriggerData) => void;
};

/** A trigger beside the canvas. */
export function TriggerPanel({ organizationId, triggerId, readOnly, onClose, onUse }: TriggerPanelProps) {
  const queryClient = useQueryClient();
  const stepping = use(SteppingContext);
  const { data: trigger, isError, error, refetch } = useQuery(triggerQuery(organizationId, triggerId));
  const refresh = async () => {
    await queryClient.invalidateQueries({ queryKey: triggersKey(organizationId) });
  };
  if (isError && !trigger)
    return (
      <div className="grid gap-3 p-4">
        <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
        <Button onClick={onClose}>Close</Button>
      </div>
    );
  if (!trigger) return <Skeleton className="m-4 h-24" />;
  return (
    <section
      aria-label={`Trigger ${trigger.name}`}
      className="flex h-full min-h-0 min-w-0 flex-col"
      onKeyDown={(event) => {
        // A dialog opened from here is a child for React, but not part of the panel.
        if (event.key === "Escape" && event.currentTarget.contains(event.target as Node)) onClose();
      }}
    >
      <Head organizationId={organizationId} trigger={trigger} readOnly={readOnly} refresh={refresh} onClose={onClose} />
      {readOnly && trigger.kind !== "webhook" ? (
        <div className="border-t border-line px-4 py-3">
          <TriggerFacts organizationId={organizationId} trigger={trigger} />
        </div>
      ) : (
        <TriggerTabs
          key={trigger.id}
          organizationId={organizationId}
          trigger={trigger}
          readOnly={readOnly}
          onSaved={refresh}
          onUse={readOnly ? undefined : onUse}
          onPin={stepping && ((data) => stepping.pin(triggerPinId, { out: [data] }))}
        />
      )}
    </section>
  );
}

type HeadProps = Pick<TriggerPanelProps, "organizationId" | "readOnly" | "onClose"> & {
  trigger: Trigger;
  refresh: () => Promise<void>;
};

function Head({ organizationId, trigger, readOnly, refresh, onClose }: HeadProps) {
  const { Icon, title } = kindLooks[trigger.kind];
  return (
    <header className="flex items-center gap-3 px-4 py-3">
      <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Icon className="size-5" aria-hidden="true" />
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="truncate font-semibold" title={trigger.name}>
          {trigger.name}
        </h2>
        <p className="text-xs text-muted">
          {title} · <code className="font-mono">$trigger</code>
        </p>
      </div>
      {readOnly ? (
        <span className="text-sm text-muted">{trigger.active ? "On" : "Off"}</span>
      ) : (
        <Switch
          label={`“${trigger.name}” is on`}
          on={trigger.active}
          change={async (active) => {
            await changeTrigger(organizationId, trigger.id, { active });
            await refresh();
          }}
        />
      )}
      <ToolButton label="Close the trigger" onClick={onClose}>
        <X className="size-4" aria-hidden="true" />
      </ToolButton>
    </header>
  );
}

import { Tabs } from "radix-ui";
import { type ReactNode, useState } from "react";
import type { WebhookDelivery } from "../../../../src/deliveries/wire.ts";
import type { Trigger } from "../../../../src/triggers/wire.ts";
import type { DeliveryFilter } from "../../../api/deliveries.ts";
import { OneOf } from "../../../parts/one-of.tsx";
import { TriggerForm } from "../trigger-form.tsx";
import { DeliveryDetail, type TriggerData } from "./delivery-detail.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { ListeningBox } from "./listening-box.tsx";
import { TestBody } from "./test-body.tsx";
import { useListening } from "./use-listening.ts";
import { WebhookAddress } from "./webhook-address.tsx";

type TriggerTabsProps = {
  organizationId: string;
  trigger: Trigger;
  /** Who only reads sees what arrived, and nothing else. */
  readOnly: boolean;
  onSaved: () => Promise<void>;
  /** Goes on with the data of an event, where there is something to go on with. */
  onUse?: ((data: TriggerData) => void) | undefined;
  /** Keeps the data of an event for runs of the editor. */
  onPin?: ((data: TriggerData) => Promise<void>) | undefined;
};

type TabName = "form" | "test" | "deliveries";

/** Everything about one trigger: how it is set up, trying it, and what arrived. */
export function TriggerTabs({ organizationId, trigger, readOnly, onSaved, onUse, onPin }: TriggerTabsProps) {
  const isWebhook = trigger.kind === "webhook";
  const [tab, setTab] = useState<TabName>(readOnly ? "deliveries" : "form");
  const [chosenId, setChosenId] = useState<string>();
  const [said, setSaid] = useState("");
  const show = (delivery: WebhookDelivery) => {
    setChosenId(delivery.id);
    setTab("deliveries");
    setSaid("One event arrived");
  };
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(next) => setTab(next as TabName)}
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      <Tabs.List aria-label="Parts of the trigger" className="flex gap-1 overflow-x-auto border-b border-line px-3">
        {!readOnly && <Tab value="form">Form</Tab>}
        {!readOnly && <Tab value="test">Test event</Tab>}
        {isWebhook && <Tab value="deliveries">Deliveries</Tab>}
      </Tabs.List>
      <p role="status" className="sr-only">
        {said}
      </p>
      {!readOnly && (
        <Panel value="form">
          <TriggerForm organizationId={organizationId} kind={trigger.kind} trigger={trigger} onSaved={onSaved} />
        </Panel>
      )}
      {!readOnly && (
        <Panel value="test">
          {isWebhook && <TestWebhook organizationId={organizationId} trigger={trigger} onArrived={show} />}
          <TestBody organizationId={organizationId} trigger={trigger} />
        </Panel>
      )}
      {isWebhook && (
        <Panel value="deliveries">
          <Deliveries
            organizationId={organizationId}
            triggerId={trigger.id}
            chosenId={chosenId}
            onChoose={setChosenId}
            onUse={onUse}
            onPin={onPin}
          />
        </Panel>
      )}
    </Tabs.Root>
  );
}

type TestWebhookProps = Pick<TriggerTabsProps, "organizationId" | "trigger"> & {
  onArrived: (delivery: WebhookDelivery) => void;
};

function TestWebhook({ organizationId, trigger, onArrived }: TestWebhookProps) {
  const listening = useListening({ organizationId, triggerId: trigger.id }, onArrived);
  return (
    <>
      <WebhookAddress organizationId={organizationId} trigger={trigger} />
      <ListeningBox trigger={trigger} listening={listening} />
    </>
  );
}

type DeliveriesProps = Pick<TriggerTabsProps, "organizationId" | "onUse" | "onPin"> & {
  triggerId: string;
  chosenId: string | undefined;
  onChoose: (deliveryId: string) => void;
};

function Deliveries({ organizationId, triggerId, chosenId, onChoose, onUse, onPin }: DeliveriesProps) {
  const [filter, setFilter] = useState<DeliveryFilter>("all");
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <OneOf label="Which deliveries" value={filter} options={filters} onChange={setFilter} />
        <p className="text-xs text-muted">The newest, for seven days.</p>
      </div>
      <DeliveryList
        organizationId={organizationId}
        triggerId={triggerId}
        filter={filter}
        chosenId={chosenId}
        onChoose={onChoose}
      />
      {chosenId && (
        <DeliveryDetail
          key={chosenId}
          organizationId={organizationId}
          triggerId={triggerId}
          deliveryId={chosenId}
          onUse={onUse}
          onPin={onPin}
        />
      )}
    </>
  );
}

const filters: Record<DeliveryFilter, string> = { all: "All", refused: "Refused", listened: "Test" };

function Tab({ value, children }: { value: TabName; children: string }) {
  return (
    <Tabs.Trigger
      value={value}
      className="min-h-10 shrink-0 border-b-2 border-transparent px-2.5 text-sm font-medium text-muted outline-offset-[-2px] hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
    >
      {children}
    </Tabs.Trigger>
  );
}

function Panel({ value, children }: { value: TabName; children: ReactNode }) {
  return (
    <Tabs.Content value={value} className="min-h-0 flex-1 overflow-y-auto p-4 outline-offset-[-2px]">
      <div className="grid min-w-0 grid-cols-1 content-start gap-5">{children}</div>
    </Tabs.Content>
  );
}

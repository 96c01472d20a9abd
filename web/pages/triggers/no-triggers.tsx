import { Clock, Webhook } from "lucide-react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";

type NoTriggersProps = { builds: boolean; ofWorkflow: boolean; onCreate: (kind: Trigger["kind"]) => void };

export function NoTriggers({ builds, ofWorkflow, onCreate }: NoTriggersProps) {
  return (
    <Card
      title={ofWorkflow ? "Nothing starts this workflow by itself yet" : "No triggers yet"}
      description="A trigger starts a workflow without anyone asking: a schedule when it is time, a webhook when somebody delivers something to its address."
    >
      {builds && (
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => onCreate("schedule")}>
            <Clock className="size-4" aria-hidden="true" />
            Add a schedule
          </Button>
          <Button onClick={() => onCreate("webhook")}>
            <Webhook className="size-4" aria-hidden="true" />
            Add a webhook
          </Button>
        </div>
      )}
    </Card>
  );
}

import type { Trigger } from "../../../src/triggers/wire.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { kindLooks, kinds } from "./kinds.ts";

type NoTriggersProps = { builds: boolean; ofWorkflow: boolean; onCreate: (kind: Trigger["kind"]) => void };

export function NoTriggers({ builds, ofWorkflow, onCreate }: NoTriggersProps) {
  return (
    <Card
      title={ofWorkflow ? "Nothing starts this workflow by itself yet" : "No triggers yet"}
      description="A trigger starts a workflow without anyone asking: a schedule when it is time, a webhook when somebody delivers something to its address, polling when a service has something new."
    >
      {builds && (
        <div className="flex flex-wrap gap-2">
          {kinds.map((kind, index) => {
            const { add, Icon } = kindLooks[kind];
            return (
              <Button key={kind} look={index === 0 ? "primary" : "quiet"} onClick={() => onCreate(kind)}>
                <Icon className="size-4" aria-hidden="true" />
                {add}
              </Button>
            );
          })}
        </div>
      )}
    </Card>
  );
}

import { Play } from "lucide-react";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";

/** Leads to the template that runs as it is. */
export function NoWorkflows({ builds, onCreate }: { builds: boolean; onCreate: (template: string) => void }) {
  if (!builds)
    return <Card title="No workflows yet" description="Members, admins and owners create them. They appear here." />;
  return (
    <Card
      title="No workflows yet"
      description="A workflow is a chain of nodes: each takes what the one before gave, and passes something on. The shortest way to see one is the template “First run”. It needs no account and runs as it is."
    >
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => onCreate("first-run")}>
          <Play className="size-4" aria-hidden="true" />
          Start with “First run”
        </Button>
        <Button onClick={() => onCreate("new")}>All templates</Button>
      </div>
    </Card>
  );
}

export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Card
      title="Nothing found"
      description="No workflow fits this search, folder and tag."
      action={<Button onClick={onClear}>Show all</Button>}
    />
  );
}

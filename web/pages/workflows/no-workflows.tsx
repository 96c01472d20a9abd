import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { Button, buttonLook } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";

/** Leads to the template that runs as it is. */
export function NoWorkflows({ organizationId, builds }: { organizationId: string; builds: boolean }) {
  if (!builds)
    return <Card title="No workflows yet" description="Members, admins and owners create them. They appear here." />;
  return (
    <Card
      title="No workflows yet"
      description="A workflow is a chain of nodes: each takes what the one before gave, and passes something on. The shortest way to see one is the template “First run”. It needs no account and runs as it is."
    >
      <div className="flex flex-wrap gap-2">
        <Link
          to="/o/$organizationId/workflows/templates"
          params={{ organizationId }}
          search={{ template: "first-run" }}
          className={buttonLook("primary")}
        >
          <Play className="size-4" aria-hidden="true" />
          Start with “First run”
        </Link>
        <Link to="/o/$organizationId/workflows/templates" params={{ organizationId }} className={buttonLook("quiet")}>
          All templates
        </Link>
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

import { Link } from "@tanstack/react-router";
import { Blocks, type LucideIcon, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { buttonLook } from "../../parts/button.tsx";
import { useOrganization } from "../../session.ts";

export function NoCallsYet() {
  const organizationId = useOrganization().id;
  return (
    <NothingYet Icon={Blocks} title="No tool has been called yet">
      <p className="max-w-md text-sm text-muted">
        Every call of a tool appears here while it runs: by an AI client, with an API key or from this page. For a first
        one, open a server, choose a tool and try it, or add the server to your client.
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <Link to="/o/$organizationId/servers" params={{ organizationId }} className={buttonLook("primary")}>
          Choose a server
        </Link>
        <Link to="/o/$organizationId/connections" params={{ organizationId }} className={buttonLook("quiet")}>
          Connect a client
        </Link>
      </div>
    </NothingYet>
  );
}

export function NoRunsYet() {
  const organizationId = useOrganization().id;
  return (
    <NothingYet Icon={Workflow} title="No workflow has run yet">
      <p className="max-w-md text-sm text-muted">
        Every run appears here while it goes on, whoever started it: a person, a schedule, a webhook or a program with
        an API key. For a first one, open a workflow and press Run.
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <Link to="/o/$organizationId/workflows" params={{ organizationId }} className={buttonLook("primary")}>
          Open workflows
        </Link>
        <Link to="/o/$organizationId/triggers" params={{ organizationId }} className={buttonLook("quiet")}>
          Add a trigger
        </Link>
      </div>
    </NothingYet>
  );
}

function NothingYet({ Icon, title, children }: { Icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-4 rounded-xl border border-dashed border-line px-6 py-14 text-center">
      <Icon className="size-8 text-muted" aria-hidden="true" />
      <h2 className="font-semibold">{title}</h2>
      {children}
    </div>
  );
}

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ToolCallEntry } from "../../../src/history/wire.ts";
import type { RunEntry } from "../../../src/runs/wire.ts";
import { Card } from "../../parts/card.tsx";
import { Page } from "../../parts/page.tsx";
import type { MyOrganization } from "../../session.ts";
import { Attention } from "./attention.tsx";
import { CallRows } from "./call-rows.tsx";
import { DayFacts } from "./day-facts.tsx";
import { RunRows } from "./run-rows.tsx";
import { SlotGauge } from "./slot-gauge.tsx";

type OverviewProps = { organization: MyOrganization; calls: ToolCallEntry[]; runs: RunEntry[] };

export function Overview({ organization, calls, runs }: OverviewProps) {
  const organizationId = organization.id;
  return (
    <Page
      title={organization.name}
      description="What happens here, as it happens."
      action={<SlotGauge organizationId={organizationId} />}
    >
      <Attention organizationId={organizationId} />
      <DayFacts organizationId={organizationId} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <Card
          title="Recent calls"
          action={<HistoryLink organizationId={organizationId} tab="tools" label="All calls" />}
        >
          {calls.length > 0 ? (
            <CallRows organizationId={organizationId} calls={calls} />
          ) : (
            <Nothing>
              No tool was called yet. Connect a client to one of the{" "}
              <Link to="/o/$organizationId/servers" params={{ organizationId }} className={linkLook}>
                MCP servers
              </Link>
              .
            </Nothing>
          )}
        </Card>
        <Card title="Recent runs" action={<HistoryLink organizationId={organizationId} tab="runs" label="All runs" />}>
          {runs.length > 0 ? (
            <RunRows organizationId={organizationId} runs={runs} />
          ) : (
            <Nothing>
              No workflow ran yet.{" "}
              {organization.role === "viewer" ? (
                "Members create them."
              ) : (
                <Link
                  to="/o/$organizationId/workflows/templates"
                  params={{ organizationId }}
                  search={{ template: "first-run" }}
                  className={linkLook}
                >
                  Start with one that runs as it is
                </Link>
              )}
            </Nothing>
          )}
        </Card>
      </div>
    </Page>
  );
}

const linkLook = "text-accent underline underline-offset-4";

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-sm text-muted">{children}</p>;
}

function HistoryLink({ organizationId, tab, label }: { organizationId: string; tab: string; label: string }) {
  return (
    <Link
      to="/o/$organizationId/history"
      params={{ organizationId }}
      search={{ tab }}
      className="text-sm text-accent underline-offset-4 hover:underline"
    >
      {label}
    </Link>
  );
}

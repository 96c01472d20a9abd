import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { Usage } from "../../../src/usage/wire.ts";
import { type Days, days, usageQuery } from "../../api/organization.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { Layer } from "./bars.ts";
import { formatCount } from "./format.ts";
import { StackedBars } from "./stacked-bars.tsx";
import { UsageTables } from "./usage-tables.tsx";

/** What was called and run in the last days. */
export function UsageReport({ organizationId }: { organizationId: string }) {
  const { days: asked } = useSearch({ from: "/signed-in/o/$organizationId/organization" });
  const period = days.find((entry) => entry === asked) ?? "7";
  const { data: usage, error, refetch } = useQuery(usageQuery(organizationId, period));
  return (
    <>
      <PeriodChoice organizationId={organizationId} period={period} />
      {usage && <Report organizationId={organizationId} usage={usage} />}
      {!usage && error && (
        <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      )}
      {!usage && !error && (
        <Loading what="the usage">
          <div className="grid gap-6">
            <Skeleton className="h-64" />
            <Skeleton className="h-64" />
          </div>
        </Loading>
      )}
    </>
  );
}

function Report({ organizationId, usage }: { organizationId: string; usage: Usage }) {
  const { series, total, bucketMinutes } = usage;
  if (total.calls + total.runs === 0) return <NothingYet organizationId={organizationId} />;
  const calls = series.map(({ at, calls: counts }) => ({ at, counts }));
  const runs = series.map(({ at, runs: counts }) => ({ at, counts }));
  return (
    <>
      <Card title={`${formatCount(total.calls)} tool calls`}>
        <StackedBars label="Tool calls" layers={callLayers} bars={calls} bucketMinutes={bucketMinutes} />
      </Card>
      <Card title={`${formatCount(total.runs)} runs`}>
        <StackedBars label="Runs" layers={runLayers} bars={runs} bucketMinutes={bucketMinutes} />
      </Card>
      <UsageTables organizationId={organizationId} usage={usage} />
    </>
  );
}

const callLayers: Layer<keyof Usage["series"][number]["calls"]>[] = [
  { key: "success", word: "succeeded", fill: "fill-success", dot: "bg-success" },
  { key: "failed", word: "failed", fill: "fill-danger", dot: "bg-danger" },
  { key: "refused", word: "refused", fill: "fill-warning", dot: "bg-warning" },
  { key: "other", word: "other", fill: "fill-field", dot: "bg-field" },
];
const runLayers: Layer<keyof Usage["series"][number]["runs"]>[] = [
  { key: "succeeded", word: "succeeded", fill: "fill-success", dot: "bg-success" },
  { key: "failed", word: "failed", fill: "fill-danger", dot: "bg-danger" },
  { key: "other", word: "other", fill: "fill-field", dot: "bg-field" },
];

const periodNames: Record<Days, string> = { "1": "24 hours", "7": "7 days", "30": "30 days" };

function PeriodChoice({ organizationId, period }: { organizationId: string; period: Days }) {
  return (
    <nav aria-label="Period" className="flex flex-wrap items-center justify-between gap-3">
      <h2 className="text-lg font-semibold tracking-tight">Usage</h2>
      <ul className="flex rounded-lg bg-hover p-0.5">
        {days.map((entry) => (
          <li key={entry}>
            <Link
              to="/o/$organizationId/organization"
              params={{ organizationId }}
              search={(search) => ({ ...search, days: entry })}
              replace
              resetScroll={false}
              aria-current={entry === period ? "page" : undefined}
              className="block rounded-md px-3 py-1.5 text-sm text-muted hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {periodNames[entry]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function NothingYet({ organizationId }: { organizationId: string }) {
  const link = "text-accent underline underline-offset-4";
  return (
    <Card
      title="Nothing happened in this period"
      description={
        <>
          Calls and runs are counted here as they happen.{" "}
          <Link to="/o/$organizationId/servers" params={{ organizationId }} className={link}>
            Connect a client to a server
          </Link>{" "}
          or{" "}
          <Link to="/o/$organizationId/workflows" params={{ organizationId }} className={link}>
            run a workflow
          </Link>
          .
        </>
      }
    />
  );
}

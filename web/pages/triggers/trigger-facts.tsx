import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { triggerQuery } from "../../api/triggers.ts";
import { TimeAgo } from "../../parts/time-ago.tsx";
import { describeCron } from "./cron-words.ts";
import { FireTime, FireTimes } from "./fire-times.tsx";
import { PollFacts, PollProblem } from "./poll-facts.tsx";
import { senderOf } from "./senders.ts";

/** What a trigger starts, when, and how it last went. */
export function TriggerFacts({ organizationId, trigger }: { organizationId: string; trigger: Trigger }) {
  return (
    <div className="mt-1 grid gap-1 text-sm text-muted">
      <p className="wrap-anywhere">
        Starts{" "}
        <Link
          to="/o/$organizationId/workflows/$workflowId"
          params={{ organizationId, workflowId: trigger.workflowId }}
          className="text-ink underline underline-offset-4"
        >
          {trigger.workflowName}
        </Link>
      </p>
      {trigger.kind === "schedule" && <ScheduleFacts organizationId={organizationId} trigger={trigger} />}
      {trigger.poll && <PollFacts organizationId={organizationId} trigger={trigger} poll={trigger.poll} />}
      {trigger.kind === "webhook" && (
        <p>
          {senderOf(trigger)?.title ?? trigger.provider}
          {trigger.isRegistered && ", set up from here"}
          {trigger.events.length > 0 && `, only ${trigger.events.join(", ")}`}
          {trigger.places.length > 0 && `, from ${trigger.places.join(", ")}`}
        </p>
      )}
      <LastRun trigger={trigger} />
      {trigger.stoppedReason && <p className="text-danger wrap-anywhere">{trigger.stoppedReason}</p>}
      {trigger.lastError && !trigger.poll && (
        <p className="text-danger wrap-anywhere">Last time it started nothing: {trigger.lastError}</p>
      )}
      {trigger.poll && isOfLook(trigger) && <PollProblem organizationId={organizationId} trigger={trigger} />}
    </div>
  );
}

/** What is wrong with an item only is said where it is kept back. */
const isOfLook = ({ lastError, poll }: Trigger): boolean =>
  lastError !== null && lastError !== poll?.faultyItems.lastFault;

function LastRun({ trigger: { lastRunAt, poll } }: { trigger: Trigger }) {
  if (!lastRunAt) return <p>Has started no run yet{poll && !poll.takesExisting && "; only what is new starts one"}</p>;
  return (
    <p>
      Last started a run <TimeAgo at={lastRunAt} />
    </p>
  );
}

function ScheduleFacts({ organizationId, trigger }: { organizationId: string; trigger: Trigger }) {
  const { cron, timeZone, nextRunAt } = trigger;
  const words = describeCron(cron ?? "");
  const [isOpen, setOpen] = useState(false);
  // The list knows only the next time; those after it are asked for by whoever wants to see them.
  const { data } = useQuery({ ...triggerQuery(organizationId, trigger.id), enabled: isOpen });
  return (
    <>
      <p>
        {words ?? <code className="font-mono text-xs">{cron}</code>}, {timeZone}
      </p>
      {nextRunAt ? (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="w-fit cursor-pointer">
            Next <FireTime at={nextRunAt} />
          </summary>
          <div className="mt-1.5 mb-1 pl-4">
            <FireTimes times={data?.nextFireTimes ?? [nextRunAt]} timeZone={timeZone ?? "UTC"} />
          </div>
        </details>
      ) : (
        <p>Off: does not fire</p>
      )}
    </>
  );
}

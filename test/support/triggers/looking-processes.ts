import { newId } from "../../../src/base/ids.ts";
import { createLog } from "../../../src/base/log.ts";
import { createTracing } from "../../../src/base/tracing.ts";
import type { Poll } from "../../../src/contract/poll.ts";
import { defineProvider } from "../../../src/contract/provider.ts";
import { createIsFilterMet } from "../../../src/triggers/filter-events.ts";
import { createPolls } from "../../../src/triggers/polls/find-poll.ts";
import { createLookForNew } from "../../../src/triggers/polls/look-for-new.ts";
import { createMakeLook } from "../../../src/triggers/polls/make-look.ts";
import { createOpenAccount } from "../../../src/triggers/polls/open-account.ts";
import { createPollServices } from "../../../src/triggers/polls/poll-services.ts";
import { createTakeItems } from "../../../src/triggers/polls/take-items.ts";
import type { TestApp } from "../test-app.ts";

type Limits = { limitMs?: number; itemLimitMs?: number };

/** What looks at a service of the test, as a process does. The application itself must be no worker: it does not know the service. */
export function createLookingProcess({ parts, runs }: TestApp, poll: Poll, { limitMs, itemLimitMs }: Limits = {}) {
  const [log, tracing] = [createLog("silent"), createTracing()];
  const {
    vault,
    ground: { db, outside },
  } = parts;
  const provider = defineProvider({
    id: "test",
    title: "Test",
    description: "For tests.",
    credential: null,
    polls: [poll],
  });
  const polls = createPolls({ providers: [provider], vault });
  const takeItems = createTakeItems({
    db,
    startRun: runs.startRun,
    stopOwnItems: async () => {},
    isFilterMet: createIsFilterMet(parts.workflows.variables),
    tracing,
    ...(itemLimitMs ? { itemLimitMs } : {}),
  });
  const lookForNew = createLookForNew({
    db,
    openAccount: createOpenAccount({ vault, outside }),
    takeItems,
    ...(limitMs ? { limitMs } : {}),
  });
  return createPollServices({ db, log, makeLook: createMakeLook({ db, log, polls, lookForNew }) });
}

type Place = { organizationId: string; workflowId: string; takesExisting?: boolean };

/** A trigger that is due, and how to read what became of it. */
export async function plantPoll(
  { database: { query } }: TestApp,
  poll: Poll,
  { organizationId, workflowId, takesExisting = false }: Place,
) {
  const id = newId();
  await query(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, provider_id, poll_id, poll_parameters,
       poll_takes_existing, next_poll_at)
     VALUES ($1, $2, $3, 'poll', 'Test', true, '[]', 'test', $4, '{}', $5, now())`,
    [organizationId, id, workflowId, poll.id, takesExisting],
  );
  return {
    id,
    makeDue: () => query("UPDATE trigger SET next_poll_at = now() WHERE id = $1", [id]),
    read: async () =>
      (
        await query<{ mark: string | null; error: string | null; due: boolean }>(
          "SELECT poll_mark AS mark, last_error AS error, next_poll_at <= now() AS due FROM trigger WHERE id = $1",
          [id],
        )
      )[0],
    payloads: async () =>
      (
        await query<{ data: string }>("SELECT trigger_data AS data FROM run WHERE trigger_id = $1 ORDER BY id", [id])
      ).map(({ data }) => JSON.parse(data).payload as unknown),
  };
}

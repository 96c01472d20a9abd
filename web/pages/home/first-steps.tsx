import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ToolCallEntry } from "../../../src/history/wire.ts";
import { apiKeysQuery } from "../../api/api-keys.ts";
import { serversQuery } from "../../api/servers.ts";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { connectionsQuery } from "../../queries.ts";
import { type MyOrganization, managesMembers } from "../../session.ts";
import { firstCall } from "../servers/client-snippets.ts";
import { ArriveStep } from "./arrive-step.tsx";
import { ConnectStep } from "./connect-step.tsx";
import { KeyStep } from "./key-step.tsx";

type FirstStepsProps = { organization: MyOrganization; calls: ToolCallEntry[]; onDone: () => void };

const askEveryMs = 2_000;

/** Three steps from an empty organization to its first call. Each gets its tick from what the server knows, so it keeps it. */
export function FirstSteps({ organization, calls, onDone }: FirstStepsProps) {
  const manages = managesMembers(organization.role);
  // The last use of a key is the first sign of a client that connected.
  const watched = { refetchInterval: calls.length === 0 && askEveryMs };
  const keys = useQuery({ ...apiKeysQuery(organization.id), ...watched, enabled: manages });
  const connections = useQuery({ ...connectionsQuery(organization.id), ...watched }).data ?? [];
  const server = useQuery(serversQuery).data?.find(({ id }) => id === firstCall.serverId);
  const [keyText, setKeyText] = useState<string>();

  const hasKey = (keys.data?.length ?? 0) > 0;
  const isConnected =
    calls.length > 0 || connections.length > 0 || (keys.data ?? []).some(({ lastUsedAt }) => lastUsedAt !== null);
  const steps = [...(manages ? ["key"] : []), "connect", "arrive"];
  const numberOf = (step: string) => steps.indexOf(step) + 1;

  return (
    <Page
      title={`Welcome to ${organization.name}`}
      description={`${manages ? "Three" : "Two"} steps to the first tool call. This page notices each by itself.`}
    >
      <ol className="grid grid-cols-1 gap-4">
        {manages && (
          <KeyStep
            number={numberOf("key")}
            organizationId={organization.id}
            keys={keys.data}
            keyText={keyText}
            onKeyText={setKeyText}
          />
        )}
        <ConnectStep
          number={numberOf("connect")}
          organization={organization}
          server={server}
          keyText={keyText}
          isDone={isConnected}
          isOpen={!manages || hasKey}
        />
        <ArriveStep
          number={numberOf("arrive")}
          organizationId={organization.id}
          server={server}
          keyText={keyText}
          calls={calls}
        />
      </ol>
      {calls.length > 0 ? (
        <Button look="primary" className="justify-self-start" onClick={onDone}>
          Go to the overview
        </Button>
      ) : (
        <WorkflowInstead organizationId={organization.id} />
      )}
    </Page>
  );
}

function WorkflowInstead({ organizationId }: { organizationId: string }) {
  return (
    <p className="text-sm text-muted">
      Or{" "}
      <Link
        to="/o/$organizationId/workflows/templates"
        params={{ organizationId }}
        search={{ template: "first-run" }}
        className="text-accent underline underline-offset-4"
      >
        start with a workflow that runs
      </Link>
      . It needs no account and no key.
    </p>
  );
}

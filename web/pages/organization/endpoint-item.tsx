import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { EventEndpoint } from "../../../src/events/wire.ts";
import {
  changeEventEndpoint,
  deleteEventEndpoint,
  deliveriesQuery,
  eventEndpointsQuery,
  rotateEventSecret,
  testEventEndpoint,
} from "../../api/organization.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button, buttonLook } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Deliveries } from "./deliveries.tsx";
import { eventWords } from "./event-words.ts";
import { NewSecret } from "./new-secret.tsx";

type EndpointItemProps = { organizationId: string; endpoint: EventEndpoint };

export function EndpointItem({ organizationId, endpoint }: EndpointItemProps) {
  const { endpoint: open } = useSearch({ from: "/signed-in/o/$organizationId/organization" });
  const isOpen = open === endpoint.id;
  return (
    <li className="grid gap-3 py-4">
      <EndpointFacts endpoint={endpoint} />
      <div className="flex flex-wrap gap-2">
        <Link
          to="/o/$organizationId/organization"
          params={{ organizationId }}
          search={{ tab: "events", ...(isOpen ? {} : { endpoint: endpoint.id }) }}
          resetScroll={false}
          aria-expanded={isOpen}
          className={buttonLook("quiet")}
        >
          {isOpen ? "Hide deliveries" : "Deliveries"}
        </Link>
        <EndpointActions organizationId={organizationId} endpoint={endpoint} />
      </div>
      {isOpen && <Deliveries organizationId={organizationId} endpoint={endpoint} />}
    </li>
  );
}

function EndpointFacts({
  endpoint: { url, types, description, isActive, disabledReason },
}: {
  endpoint: EventEndpoint;
}) {
  return (
    <div className="grid gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-sm font-medium wrap-anywhere">{url}</span>
        {!isActive && <Badge>Off</Badge>}
      </p>
      {description && <p className="text-sm wrap-anywhere text-muted">{description}</p>}
      <ul className="flex flex-wrap gap-1.5">
        {types.map((type) => (
          <li key={type}>
            <Badge>{eventWords[type]}</Badge>
          </li>
        ))}
      </ul>
      {disabledReason && <Notice kind="warning">{disabledReason}</Notice>}
    </div>
  );
}

function EndpointActions({ organizationId, endpoint }: EndpointItemProps) {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState<EndpointQuestionProps["asking"]>();
  const [secret, setSecret] = useState<string>();
  const refresh = () => queryClient.invalidateQueries({ ...eventEndpointsQuery(organizationId), exact: true });
  const test = useMutation({
    mutationFn: () => testEventEndpoint(organizationId, endpoint.id),
    onSuccess: () => queryClient.invalidateQueries(deliveriesQuery(organizationId, endpoint.id)),
  });
  const toggle = useMutation({
    mutationFn: () => changeEventEndpoint(organizationId, endpoint.id, { isActive: !endpoint.isActive }),
    onSettled: refresh,
  });
  const failed = test.error ?? toggle.error;
  return (
    <>
      {endpoint.isActive && (
        <Button busy={test.isPending} aria-label={`Send a test to ${endpoint.url}`} onClick={() => test.mutate()}>
          Send a test
        </Button>
      )}
      <Button
        busy={toggle.isPending}
        aria-label={`Switch ${endpoint.isActive ? "off" : "on"} ${endpoint.url}`}
        onClick={() => toggle.mutate()}
      >
        {endpoint.isActive ? "Switch off" : "Switch on"}
      </Button>
      <Button aria-label={`New secret for ${endpoint.url}`} onClick={() => setAsking("secret")}>
        New secret
      </Button>
      <Button look="danger" aria-label={`Delete ${endpoint.url}`} onClick={() => setAsking("delete")}>
        Delete
      </Button>
      {test.isSuccess && (
        <p className="basis-full text-sm text-muted">A test is on its way. See the deliveries for how it went.</p>
      )}
      {failed && <ProblemNotice error={failed} />}
      {asking && (
        <EndpointQuestion
          asking={asking}
          url={endpoint.url}
          onNewSecret={async () => setSecret((await rotateEventSecret(organizationId, endpoint.id)).secret)}
          onDelete={() => deleteEventEndpoint(organizationId, endpoint.id).then(refresh)}
          onClose={() => setAsking(undefined)}
        />
      )}
      <Dialog open={secret !== undefined} onOpenChange={() => setSecret(undefined)} title="New signing secret">
        <NewSecret secret={secret ?? ""} onClose={() => setSecret(undefined)} />
      </Dialog>
    </>
  );
}

type EndpointQuestionProps = {
  asking: "secret" | "delete";
  url: string;
  onNewSecret: () => Promise<void>;
  onDelete: () => Promise<void>;
  onClose: () => void;
};

function EndpointQuestion({ asking, url, onNewSecret, onDelete, onClose }: EndpointQuestionProps) {
  return asking === "secret" ? (
    <ConfirmDialog
      title="Make a new signing secret?"
      description="For 24 hours every message is signed with both, so that the receiver can change over."
      confirm="New secret"
      act={onNewSecret}
      onClose={onClose}
    />
  ) : (
    <ConfirmDialog
      title="Delete this endpoint?"
      description={`${url} is told nothing any more, and its deliveries are removed.`}
      confirm="Delete"
      act={onDelete}
      onClose={onClose}
    />
  );
}

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { eventEndpointsQuery } from "../../api/organization.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { MyOrganization } from "../../session.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointItem } from "./endpoint-item.tsx";

/** Systems of the organization's own that are told what happened. */
export function EventEndpoints({ organization }: { organization: MyOrganization }) {
  const { data: endpoints, error, refetch } = useQuery(eventEndpointsQuery(organization.id));
  const [creating, setCreating] = useState(false);
  const add = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus className="size-4" aria-hidden="true" />
      New endpoint
    </Button>
  );
  return (
    <>
      {endpoints?.length === 0 && (
        <Card
          title="Nobody is told yet"
          description="Switchyard can send a signed message to your own systems when a run ends, a tool fails or a connected account is lost."
          action={add}
        />
      )}
      {endpoints && endpoints.length > 0 && (
        <Card
          title="Event endpoints"
          description="Each is told what it asked for, signed, and again until it answers."
          action={add}
        >
          <ul className="-mb-4 divide-y divide-line">
            {endpoints.map((endpoint) => (
              <EndpointItem key={endpoint.id} organizationId={organization.id} endpoint={endpoint} />
            ))}
          </ul>
        </Card>
      )}
      {!endpoints && error && (
        <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      )}
      {!endpoints && !error && (
        <Loading what="the endpoints">
          <Skeleton className="h-40" />
        </Loading>
      )}
      <Dialog open={creating} onOpenChange={setCreating} title="New endpoint">
        <EndpointForm organizationId={organization.id} onClose={() => setCreating(false)} />
      </Dialog>
    </>
  );
}

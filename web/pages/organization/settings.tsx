import { useQuery, useQueryClient } from "@tanstack/react-query";
import { renameOrganization, slotsQuery } from "../../api/organization.ts";
import { Card } from "../../parts/card.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { meQuery } from "../../queries.ts";
import { type MyOrganization, managesMembers } from "../../session.ts";
import { ErrorDefault } from "./error-default.tsx";

export function Settings({ organization }: { organization: MyOrganization }) {
  const queryClient = useQueryClient();
  const cap = useQuery(slotsQuery(organization.id)).data?.cap;
  return (
    <>
      <Card
        title="Name"
        description={managesMembers(organization.role) ? undefined : "Owners and admins rename the organization."}
      >
        {managesMembers(organization.role) ? (
          <Form
            submit="Rename"
            done="The organization is renamed."
            send={async (field) => {
              await renameOrganization(organization.id, field("name"));
              await queryClient.invalidateQueries(meQuery);
            }}
          >
            <TextField
              label="Name of the organization"
              name="name"
              defaultValue={organization.name}
              maxLength={100}
              autoComplete="off"
            />
          </Form>
        ) : (
          <p className="wrap-anywhere">{organization.name}</p>
        )}
      </Card>
      <Card
        title="Limit"
        description={
          cap === undefined
            ? "How many runs and calls may be under way at the same time."
            : `${cap} runs and calls may be under way at the same time; more of them wait for a free slot. The operator of this installation sets the plan.`
        }
      />
      <ErrorDefault organization={organization} />
      <Card>
        <CopyField label="ID of the organization" text={organization.id} />
        <p className="mt-1.5 text-xs text-muted">What the platform API and the command line name it by.</p>
      </Card>
    </>
  );
}

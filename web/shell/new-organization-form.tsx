import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../api.ts";
import { Form } from "../parts/form.tsx";
import { TextField } from "../parts/text-field.tsx";
import { meQuery } from "../queries.ts";

/** Creates an organization and goes there. */
export function NewOrganizationForm({ onCreated }: { onCreated?: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  return (
    <Form
      submit="Create organization"
      send={async (field) => {
        const { id } = await api.createOrganization({ name: field("name") });
        await queryClient.refetchQueries(meQuery);
        onCreated?.();
        await navigate({ to: "/o/$organizationId", params: { organizationId: id } });
      }}
    >
      <TextField label="Name of the organization" name="name" maxLength={100} autoComplete="organization" />
    </Form>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EventEndpointWithSecret } from "../../../src/events/wire.ts";
import { createEventEndpoint, eventEndpointsQuery } from "../../api/organization.ts";
import { Form, useFieldFault } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { eventTypes, eventWords } from "./event-words.ts";
import { NewSecret } from "./new-secret.tsx";

export function EndpointForm({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<EventEndpointWithSecret>();
  const [types, setTypes] = useState<ReadonlySet<string>>(new Set(["run.failed", "tool.failed"]));

  if (created) return <NewSecret secret={created.secret} onClose={onClose} />;
  return (
    <Form
      submit="Create endpoint"
      send={async (field) => {
        const chosen = eventTypes.filter((type) => types.has(type));
        setCreated(
          await createEventEndpoint(organizationId, {
            url: field("url"),
            types: chosen,
            description: field("description"),
          }),
        );
        await queryClient.invalidateQueries(eventEndpointsQuery(organizationId));
      }}
    >
      <TextField
        label="Address"
        name="url"
        type="url"
        maxLength={2000}
        placeholder="https://example.com/hooks/switchyard"
      />
      <TypeChoice types={types} onChange={setTypes} />
      <TextField
        label="Description"
        name="description"
        required={false}
        maxLength={200}
        hint="What it is for. Optional."
      />
    </Form>
  );
}

function TypeChoice({
  types,
  onChange,
}: {
  types: ReadonlySet<string>;
  onChange: (types: ReadonlySet<string>) => void;
}) {
  const fault = useFieldFault("types");
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">Tell it when</legend>
      {eventTypes.map((type) => (
        <label key={type} className="flex items-center gap-2.5 text-sm">
          <input
            type="checkbox"
            name="types"
            value={type}
            checked={types.has(type)}
            onChange={({ target }) =>
              onChange(new Set(target.checked ? [...types, type] : [...types].filter((entry) => entry !== type)))
            }
            className="accent-accent"
          />
          {eventWords[type]}
        </label>
      ))}
      {fault && (
        <p role="alert" className="text-sm text-danger">
          Choose at least one.
        </p>
      )}
    </fieldset>
  );
}

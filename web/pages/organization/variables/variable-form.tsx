import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Variable } from "../../../../src/workflows/variable-wire.ts";
import { putVariable, variablesQuery } from "../../../api/variables.ts";
import { Field } from "../../../parts/field.tsx";
import { Form } from "../../../parts/form.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { TextField } from "../../../parts/text-field.tsx";
import { kindOfValue, kindWords, readValue, type ValueKind } from "./value-kinds.ts";

/** As the server has it. */
const longestValue = 5000;

type VariableFormProps = {
  organizationId: string;
  /** The one that is changed; undefined: a new one. */
  variable: Variable | undefined;
  taken: string[];
  onDone: () => void;
};

export function VariableForm({ organizationId, variable, taken, onDone }: VariableFormProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<ValueKind>(variable ? kindOfValue(variable.value) : "text");
  return (
    <Form
      wide
      submit={variable ? "Save" : "Add variable"}
      send={async (field) => {
        await putVariable(organizationId, variable?.name ?? field("name"), readValue(kind, field("value")));
        await queryClient.invalidateQueries(variablesQuery(organizationId));
        onDone();
      }}
    >
      {!variable && (
        <TextField
          label="Name"
          name="name"
          maxLength={64}
          pattern="[A-Za-z_][A-Za-z0-9_]*"
          title="Letters, digits and underscores, beginning with a letter or an underscore"
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
          hint={`Letters, digits and underscores. Fields read it as $vars.${name || "name"}.`}
        />
      )}
      {!variable && taken.includes(name) && (
        <Notice kind="warning">There is a variable of this name. Its value will be replaced.</Notice>
      )}
      <Field
        label="Kind"
        name="kind"
        control={(control) => (
          <select {...control} value={kind} onChange={(event) => setKind(event.target.value as ValueKind)}>
            {Object.entries(kindWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
      />
      <ValueField key={kind} kind={kind} value={variable?.value} />
    </Form>
  );
}

type ValueFieldProps = { kind: ValueKind; value: Variable["value"] | undefined };

function ValueField({ kind, value }: ValueFieldProps) {
  const first = value !== undefined && kindOfValue(value) === kind ? String(value) : "";
  if (kind === "number")
    return <TextField label="Value" name="value" type="number" step="any" defaultValue={first} autoComplete="off" />;
  if (kind === "boolean")
    return (
      <Field
        label="Value"
        name="value"
        control={(control) => (
          <select {...control} defaultValue={first || "true"}>
            <option value="true">true</option>
            <option value="false">false</option>
          </select>
        )}
      />
    );
  return (
    <Field
      label="Value"
      name="value"
      hint="Plain text, which everybody in the organization can read. No passwords or tokens."
      control={(control) => <textarea {...control} rows={3} maxLength={longestValue} defaultValue={first} />}
    />
  );
}

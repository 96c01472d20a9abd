import { useId, useState } from "react";
import { SchemaForm } from "../../node-form/schema-form.tsx";
import type { FieldFault } from "../../problem.ts";
import { type FieldSchema, readSchema, scopesName, type Values } from "./credential-fields.ts";

type FieldGroupsProps = {
  main: FieldSchema;
  /** Folded away: what only services of one's own need. */
  advanced: FieldSchema | null;
  value: Values;
  onChange: (value: Values) => void;
  faults: FieldFault[];
};

export function FieldGroups({ main, advanced, value, onChange, faults }: FieldGroupsProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const names = advanced ? Object.keys(readSchema(advanced).properties) : [];
  const isAdvanced = (name: string) => names.includes(name);
  const elsewhere = pick(value, (name) => name === scopesName);
  const mainValue = pick(value, (name) => !isAdvanced(name) && name !== scopesName);
  const advancedValue = pick(value, isAdvanced);
  const isNeeded = names.some(
    (name) => value[name] !== undefined || faults.some(({ pointer }) => pointer === `/${name}`),
  );
  return (
    <>
      <SchemaForm
        schema={main}
        idPrefix={`${id}-main`}
        value={mainValue}
        onChange={(next) => onChange({ ...next, ...advancedValue, ...elsewhere })}
        faults={faults}
      />
      {advanced && (
        <details
          className="rounded-md border border-line"
          open={isOpen || isNeeded}
          onToggle={(event) => setIsOpen(event.currentTarget.open)}
        >
          <summary className="cursor-pointer rounded-md px-3 py-2 text-sm text-muted hover:text-ink">
            Other addresses
          </summary>
          <div className="px-3 pt-1 pb-3">
            <SchemaForm
              schema={advanced}
              idPrefix={`${id}-advanced`}
              value={advancedValue}
              onChange={(next) => onChange({ ...mainValue, ...next, ...elsewhere })}
              faults={faults}
            />
          </div>
        </details>
      )}
    </>
  );
}

const pick = (value: Values, isWanted: (name: string) => boolean): Values =>
  Object.fromEntries(Object.entries(value).filter(([name]) => isWanted(name)));

import { type FieldShape, isSchema, type Schema } from "../field-shape.ts";

import type { ControlProps } from "../form-context.ts";
import { BooleanControl } from "./boolean-control.tsx";
import { ChoiceControl } from "./choice-control.tsx";
import { DurationControl } from "./duration-control.tsx";
import { FreeControl } from "./free-control.tsx";
import { JsonControl } from "./json-control.tsx";
import { ListControl } from "./list-control.tsx";
import { NumberControl } from "./number-control.tsx";
import { ObjectFields } from "./object-fields.tsx";
import { RecordControl } from "./record-control.tsx";
import { TextControl } from "./text-control.tsx";
import { ToggleControl } from "./toggle-control.tsx";

type Props = ControlProps & { shape: FieldShape; pointer: string };

/** What a value of a shape is entered with. */
export function Control({ shape, pointer, ...control }: Props) {
  switch (shape.kind) {
    case "text":
      return <TextControl {...control} shape={shape} />;
    case "number":
      return <NumberControl {...control} shape={shape} />;
    case "boolean":
      return <BooleanControl {...control} />;
    case "choice":
      return <ChoiceControl {...control} options={shape.options} />;
    case "toggle":
      return <ToggleControl {...control} shape={shape} />;
    case "duration":
      return <DurationControl {...control} />;
    case "list":
      return <ListControl {...control} entry={shape.entry} pointer={pointer} />;
    case "record":
      return <RecordControl {...control} entry={shape.entry} pointer={pointer} />;
    case "object":
      return <ObjectControl {...control} schema={shape.schema} pointer={pointer} />;
    case "free":
      return <FreeControl {...control} />;
    default:
      return <JsonControl {...control} />;
  }
}

type ObjectControlProps = ControlProps & { schema: Schema; pointer: string };

function ObjectControl({ schema, pointer, value, onChange, isRequired }: ObjectControlProps) {
  return (
    <div className="grid min-w-0 gap-4 rounded-lg border border-line p-3">
      <ObjectFields
        schema={schema}
        pointer={pointer}
        value={isSchema(value) ? value : {}}
        onChange={(next) => onChange(!isRequired && Object.keys(next).length === 0 ? undefined : next)}
      />
    </div>
  );
}

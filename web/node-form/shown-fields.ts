import { type FormField, isSchema, type Schema } from "./field-shape.ts";
import { isReference } from "./field-values.ts";

/** The fields that belong to what is chosen in others: `shownWith` names those with the values for which a field is shown. */
export function shownFields(fields: FormField[], value: Schema): FormField[] {
  return fields.filter(({ schema: { shownWith } }) => {
    if (!isSchema(shownWith)) return true;
    return Object.entries(shownWith).every(([name, wanted]) => {
      const chosen = value[name] ?? fields.find((field) => field.name === name)?.schema.default;
      return isReference(chosen) || (Array.isArray(wanted) && wanted.includes(chosen));
    });
  });
}

import { type ComponentType, createContext, use } from "react";
import type { ChoiceSource } from "../api/credentials.ts";
import type { FieldFault } from "../problem.ts";
import type { Expressions } from "./expressions/expressions.ts";
import type { Schema } from "./field-shape.ts";
import type { UnreadTexts } from "./unread-texts.ts";

export type SchemaFieldProps = {
  schema: Schema;
  /** JSON Pointer into the value of the form. */
  pointer: string;
  label: string;
  value: unknown;
  /** Undefined: the field is empty and left out of the value. */
  onChange: (value: unknown) => void;
  isRequired?: boolean;
  /** One of several in a list or record, whose heading says what they are. */
  isEntry?: boolean;
};

type FormContextValue = {
  idPrefix: string;
  readOnly: boolean;
  faults: readonly FieldFault[];
  /** Where fields may hold references instead of values. */
  expressions: Expressions | undefined;
  unreadTexts: UnreadTexts;
  /** The account that is chosen, where it can be asked what it offers. */
  choicesFrom: ChoiceSource | undefined;
  /** All of the form, for fields that depend on others. */
  whole: { schema: Schema; value: Record<string, unknown> };
  /** Handed down, because lists and objects are made of fields and are fields themselves. */
  Field: ComponentType<SchemaFieldProps>;
};

export const FormContext = createContext<FormContextValue | null>(null);

export function useForm(): FormContextValue {
  const form = use(FormContext);
  if (!form) throw new Error("A field was used outside of a form.");
  return form;
}

/** What a control gets from its field. */
export type ControlProps = {
  id: string;
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
  readOnly: boolean;
  placeholder: string | undefined;
  describedBy: string | undefined;
  isInvalid: boolean;
  isRequired: boolean;
};

import type { ComponentProps } from "react";
import { Field, type FieldProps } from "./field.tsx";

type TextFieldProps = FieldProps & Omit<ComponentProps<"input">, "id" | "name" | "className">;

export function TextField({ label, name, hint, ...input }: TextFieldProps) {
  return (
    <Field
      label={label}
      name={name}
      {...(hint && { hint })}
      control={(control) => <input type="text" required {...input} {...control} />}
    />
  );
}

/** A password that is being chosen, with the length the server asks for. */
export function NewPasswordField({ label, name, hint = "At least 8 characters." }: FieldProps) {
  return (
    <TextField
      label={label}
      name={name}
      hint={hint}
      type="password"
      autoComplete="new-password"
      minLength={8}
      maxLength={128}
    />
  );
}

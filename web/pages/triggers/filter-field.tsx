import { TextField } from "../../parts/text-field.tsx";

/** Which of all that comes starts a run. */
export function FilterField({ initial, example }: { initial: string | undefined; example: string }) {
  return (
    <TextField
      label="Only if"
      name="filter"
      required={false}
      autoComplete="off"
      spellCheck={false}
      placeholder="Always"
      defaultValue={initial}
      hint={`Optional. An expression that gives true or false, for example ${example}.`}
    />
  );
}

import type { ControlProps } from "../form-context.ts";
import { ChoiceControl } from "./choice-control.tsx";

/** Yes, no or not set: a parameter that is not set has a default, or is filled by a model. */
export function BooleanControl({ placeholder, ...control }: ControlProps) {
  return <ChoiceControl {...control} placeholder={placeholder && inWords(placeholder)} options={options} />;
}

const options = [
  { value: true, title: "Yes" },
  { value: false, title: "No" },
];
const inWords = (placeholder: string): string => placeholder.replace(/true$/, "yes").replace(/false$/, "no");

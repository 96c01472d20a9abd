import { useQuery } from "@tanstack/react-query";
import { controlLook } from "../../parts/field.tsx";
import type { AskForChoices, ControlProps } from "../form-context.ts";

type ChoiceOfferProps = Pick<ControlProps, "id" | "label" | "value" | "onChange"> & {
  query: ReturnType<AskForChoices>;
};

/** What the account offers for a text. It may be left alone: an account does not always tell all. */
export function ChoiceOffer({ id, label, value, onChange, query }: ChoiceOfferProps) {
  const { data: choices, isError } = useQuery(query);
  if (isError)
    return <p className="text-xs text-muted">What this account offers could not be loaded. You can type it.</p>;
  if (!choices || choices.length === 0) return null;
  const chosen = choices.some((choice) => choice.value === value) ? String(value) : "";
  return (
    <select
      id={`${id}-offer`}
      aria-label={`${label}: what this account offers`}
      value={chosen}
      onChange={(event) => event.target.value !== "" && onChange(event.target.value)}
      className={controlLook}
    >
      <option value="">Choose from this account…</option>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.title && !choice.title.startsWith(choice.value)
            ? `${choice.title} (${choice.value})`
            : (choice.title ?? choice.value)}
        </option>
      ))}
    </select>
  );
}

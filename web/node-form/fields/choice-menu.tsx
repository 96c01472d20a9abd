import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useEffect, useState } from "react";
import type { ChoiceList } from "../../../src/calls/wire.ts";
import { type ChoiceQuestion, type ChoiceSource, choicesQuery, loadChoices } from "../../api/credentials.ts";
import { buttonLook } from "../../parts/button.tsx";
import { PickList } from "../../parts/pick-list.tsx";
import { useSettled } from "../../parts/use-settled.ts";
import { isSchema, labelOf, type Offer } from "../field-shape.ts";
import { isReference, writeText } from "../field-values.ts";
import { useForm } from "../form-context.ts";

export type Choice = ChoiceList["data"][number];

type ChoiceMenuProps = { label: string; source: ChoiceSource; offer: Offer; onPick: (choice: Choice) => void };

/** What the account offers, or why that cannot be said. */
export function ChoiceMenu({ offer, ...menu }: ChoiceMenuProps) {
  const { whole } = useForm();
  const nameOf = (need: string) => {
    const fields = isSchema(whole.schema.properties) ? whole.schema.properties : {};
    return labelOf(isSchema(fields[need]) ? fields[need] : {}, need);
  };
  const textOf = (need: string) => writeText(whole.value[need]);
  const missing = offer.needs.filter((need) => textOf(need) === "").map(nameOf);
  const open = offer.needs.filter((need) => isReference(whole.value[need])).map(nameOf);
  if (missing.length > 0) return <Words>Fill in {missing.join(" and ")} first: the list depends on it.</Words>;
  if (open.length > 0)
    return (
      <Words>{open.join(" and ")} is known only when the workflow runs, so there is no list. Type the value.</Words>
    );
  const parameters = Object.fromEntries(offer.needs.map((need) => [need, textOf(need)]));
  return <Choices {...menu} list={offer.list} parameters={parameters} />;
}

const Words = ({ children }: { children: React.ReactNode }) => (
  <p role="status" className="px-2 py-1.5 text-sm text-muted">
    {children}
  </p>
);

type ChoicesProps = Omit<ChoiceMenuProps, "offer"> & Omit<ChoiceQuestion, "search">;

function Choices({ label, source, onPick, ...question }: ChoicesProps) {
  const [text, setText] = useState("");
  const { choices, status, isBusy, refresh } = useChoices(source, question, text);
  return (
    <>
      <PickList
        label={`Search ${label}`}
        placeholder="Search by name or id"
        find={(typed) => [{ entries: choices.filter((choice) => fits(choice, typed)) }]}
        onText={setText}
        idOf={({ value }) => value}
        show={(choice) => <ChoiceLine {...choice} />}
        onPick={onPick}
        nothing={status ?? (isBusy ? "Loading…" : "Nothing found. You can type the value into the field.")}
      />
      <div className="mt-1 flex shrink-0 items-center justify-between gap-2 border-t border-line px-2 pt-1">
        <p role="status" className="min-w-0 text-xs text-muted">
          {choices.length > 0 && (status ?? "From this account")}
        </p>
        <button
          type="button"
          onClick={() => refresh()}
          disabled={isBusy}
          className={`${buttonLook("bare")} px-2! text-xs!`}
        >
          <RefreshCw
            className={`size-3.5 ${isBusy ? "animate-spin motion-reduce:animate-none" : ""}`}
            aria-hidden="true"
          />
          Refresh
        </button>
      </div>
    </>
  );
}

function ChoiceLine({ value, title }: Choice) {
  if (title === undefined || title === value) return <span className="min-w-0 wrap-anywhere">{value}</span>;
  return (
    <span className="flex min-w-0 flex-1 items-baseline justify-between gap-3">
      <span className="min-w-0 wrap-anywhere">{title}</span>
      <span className="max-w-1/2 shrink-0 truncate font-mono text-xs text-muted" title={value}>
        {value}
      </span>
    </span>
  );
}

const fits = ({ value, title = "" }: Choice, text: string): boolean =>
  `${title}\n${value}`.toLowerCase().includes(text.trim().toLowerCase());

const slowAfterMs = 3_000;

/** The whole list, and what a text finds where the list is longer than what was loaded of it. */
function useChoices(source: ChoiceSource, question: Omit<ChoiceQuestion, "search">, text: string) {
  const search = useSettled(text.trim());
  const all = useQuery(choicesQuery(source, { ...question, search: "" }));
  const isSearching = search !== "" && all.data?.hasMore === true;
  const found = useQuery({ ...choicesQuery(source, { ...question, search }), enabled: isSearching });
  const shown = isSearching ? found : all;
  const refreshing = useRefresh(source, { ...question, search: isSearching ? search : "" });
  const isBusy = shown.isFetching || refreshing.isPending;
  const isSlow = useHasLasted(isBusy, slowAfterMs);
  const error = refreshing.error ?? (isBusy ? null : shown.error);
  return {
    choices: [...(shown.data?.data ?? []), ...(isSearching ? (all.data?.data ?? []) : [])].filter(isFirst),
    status: describeState({ error, isSlow, hasMore: shown.data?.hasMore === true, isSearching }),
    isBusy,
    refresh: refreshing.mutate,
  };
}

/** Asks the provider anew. What is listed stays until there is an answer, and also when there is none. */
function useRefresh(source: ChoiceSource, question: ChoiceQuestion) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => loadChoices(source, question, { refresh: true }),
    onSuccess: (list) => queryClient.setQueryData(choicesQuery(source, question).queryKey, list),
  });
}

const isFirst = ({ value }: Choice, index: number, all: Choice[]): boolean =>
  all.findIndex((other) => other.value === value) === index;

type State = { error: Error | null; isSlow: boolean; hasMore: boolean; isSearching: boolean };

function describeState({ error, isSlow, hasMore, isSearching }: State): string | undefined {
  if (error) return `${error.message} You can type the value into the field.`;
  if (isSlow) return "The service takes its time. You can type the value into the field meanwhile.";
  if (!hasMore) return undefined;
  return isSearching ? "There are more: type more of the name." : "There are more: type to search.";
}

/** Whether something has been so for a while. */
function useHasLasted(isSo: boolean, whileMs: number): boolean {
  const [hasLasted, setHasLasted] = useState(false);
  useEffect(() => {
    if (!isSo) return undefined;
    const timer = setTimeout(() => setHasLasted(true), whileMs);
    return () => {
      clearTimeout(timer);
      setHasLasted(false);
    };
  }, [isSo, whileMs]);
  return hasLasted;
}

import { useQuery } from "@tanstack/react-query";
import type { PollEntry } from "../../../src/catalog/wire.ts";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { pollsQuery } from "../../catalog.ts";
import { describeShape, fieldsOf, labelOf } from "../../node-form/field-shape.ts";
import { writeText } from "../../node-form/field-values.ts";

/** Such as `Gmail: new email`. */
export const describePoll = ({ provider, title }: PollEntry): string =>
  `${provider.title}: ${/^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title}`;

/** What a trigger looks for; undefined while that is not known, or where this server no longer has it. */
export function usePoll(provider: string | null | undefined, event: string | undefined): PollEntry | undefined {
  return useQuery(pollsQuery).data?.find((entry) => entry.provider.id === provider && entry.id === event);
}

export type FaultyItems = NonNullable<Trigger["poll"]>["faultyItems"];

/** Such as `2 items could not be taken and are tried again. 1 item was given up.` */
export function describeKept({ waiting, givenUp }: Pick<FaultyItems, "waiting" | "givenUp">): string {
  const count = (number: number) => `${number.toLocaleString("en")} item${number === 1 ? "" : "s"}`;
  const sentences = [
    waiting > 0 && `${count(waiting)} could not be taken and ${waiting === 1 ? "is" : "are"} tried again.`,
    givenUp > 0 && `${count(givenUp)} ${givenUp === 1 ? "was" : "were"} given up.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

const longest = 120;

/** Where it looks, a line for each field that is set. */
export function describeParameters({ parametersSchema }: PollEntry, poll: NonNullable<Trigger["poll"]>): string[] {
  return fieldsOf(parametersSchema).flatMap(({ name, schema }) => {
    const value = poll.parameters[name];
    const shape = describeShape(schema);
    if (value === undefined || value === "" || (shape.kind === "text" && shape.isSecret)) return [];
    const text =
      Array.isArray(value) && value.every((entry) => typeof entry !== "object") ? value.join(", ") : inWords(value);
    return `${labelOf(schema, name)}: ${text.length > longest ? `${text.slice(0, longest)}…` : text}`;
  });
}

const inWords = (value: unknown): string => (typeof value === "boolean" ? (value ? "yes" : "no") : writeText(value));

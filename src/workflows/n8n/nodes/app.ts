import type { Mapper } from "../mapped.ts";
import { type Reader, splitNames, textOf } from "../reader.ts";

/** A parameter here: where n8n has it, the first that is there of several places, or what is made of the parameters. */
type Field = string | readonly string[] | ((read: Reader) => unknown);

type Rule = {
  /** Which values these parameters have in n8n. */
  when?: Record<string, string | readonly string[]>;
  to: string;
  fields: Record<string, Field>;
  after?: string;
  remark?: string;
};

type App = { title: string; usual?: Record<string, string>; rules: readonly Rule[] };

/** A service of which some operations have an action here. n8n leaves out of a file what is `usual`. */
export const app =
  ({ title, usual = {}, rules }: App): Mapper =>
  (read) => {
    const chosen = (name: string): string => textOf(read.raw(name), usual[name]);
    const rule = rules.find(({ when = {} }) =>
      Object.entries(when).every(([name, value]) => [value].flat().includes(chosen(name))),
    );
    const asked = ["resource", "operation"].map(chosen).join(" ").trim();
    if (!rule)
      return { missing: `${title} has no action for “${asked}” here. HTTP request can call it with your account.` };
    const parameters = Object.fromEntries(
      Object.entries(rule.fields).map(([name, field]) => [name, readField(read, field)]),
    );
    if (rule.remark !== undefined) read.remark(rule.remark);
    return { to: rule.to, parameters, ...(rule.after === undefined ? {} : { after: rule.after }) };
  };

function readField(read: Reader, field: Field): unknown {
  if (typeof field === "function") return field(read);
  return [field].flat().reduce<unknown>((found, path) => found ?? read.value(path), undefined);
}

/** Texts that n8n keeps as one, with commas, or as rows with one name. */
export const texts =
  (path: string, name = ""): Field =>
  (read) => {
    const found = read.raw(path);
    if (Array.isArray(found))
      return found.map((row) =>
        read.translate(name === "" ? row : (row as Record<string, unknown> | null)?.[name], path),
      );
    if (typeof found !== "string" || found === "") return undefined;
    return (found.startsWith("=") ? [found] : splitNames(found)).map((one) => read.translate(one, path));
  };

/** The first of these places as text: some ids are numbers in n8n. */
export const text =
  (...paths: string[]): Field =>
  (read) => {
    const found = paths.reduce<unknown>((before, path) => before ?? read.value(path), undefined);
    return typeof found === "number" ? String(found) : found;
  };

/** How many, where n8n may also ask for all. */
export const limit =
  (most: number): Field =>
  (read) => {
    const [all, wanted] = [read.raw("returnAll"), read.value("limit")];
    return all === true ? most : typeof wanted === "number" ? Math.min(wanted, most) : wanted;
  };

export const fixed =
  (value: unknown): Field =>
  () =>
    value;

/** Columns with their values, as newer nodes of n8n write them. */
export const columns: Field = (read) => {
  const found = read.value("columns.value");
  if (read.raw("columns.mappingMode") === "autoMapInputData" || found === undefined) {
    read.remark("In n8n all fields of the item were stored. Name the fields to store.");
    return undefined;
  }
  return found;
};

import { refuseInput } from "../../contract/refuse-input.ts";

/** A table or column as the database wants it written, from what people write: `sales.orders`, or in quotes where a name has a dot. */
export function quoteName(pointer: string, text: string, mark: '"' | "`"): string {
  const parts = text.trim().match(/"(?:[^"]|"")+"|`(?:[^`]|``)+`|[^."`]+|\./g) ?? [];
  const names = parts.filter((_part, index) => index % 2 === 0);
  const isName =
    parts.join("") === text.trim() &&
    parts.length % 2 === 1 &&
    parts.every((part, index) => (part === ".") === (index % 2 === 1));
  if (!isName || text.includes("\0")) throw refuseInput(pointer, "must be a name, such as orders or sales.orders");
  return names.map((name) => mark + unquote(name).replaceAll(mark, mark + mark) + mark).join(".");
}

function unquote(name: string): string {
  const [mark = ""] = name;
  return mark === '"' || mark === "`" ? name.slice(1, -1).replaceAll(mark + mark, mark) : name;
}

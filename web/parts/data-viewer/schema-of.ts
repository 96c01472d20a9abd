import { isNested, isObject, typeName, writeCompact } from "./describe-data.ts";

/** What was seen at one place of the data. */
export type SeenField = {
  /** Empty for the value itself; `[]` for the entries of a list. */
  name: string;
  types: string[];
  example: string;
  /** Not every object at this place has it. */
  isSometimesMissing: boolean;
  fields: SeenField[];
};

const entriesLookedAt = 100;
const deepest = 8;
const mostFields = 500;

/** The fields and types of a value, as seen in the first entries of its lists and in its upper levels. */
export function schemaOf(value: unknown): SeenField {
  return createDescription()("", [value], { expected: 1, depth: 0 });
}

type Place = { expected: number; depth: number };

function createDescription() {
  let room = mostFields;

  return function describe(name: string, values: unknown[], { expected, depth }: Place): SeenField {
    room--;
    const first = values.find((entry) => entry !== null && entry !== "") ?? values[0];
    return {
      name,
      types: [...new Set(values.map(typeName))],
      example: isNested(first) ? "" : writeCompact(first, 60),
      isSometimesMissing: values.length < expected,
      fields: depth < deepest ? inside(values, depth + 1) : [],
    };

    function inside(around: unknown[], level: number): SeenField[] {
      const objects = around.filter(isObject);
      const names = [...new Set(objects.flatMap((object) => Object.keys(object)))].slice(0, Math.max(0, room));
      const fields = names.map((field) => {
        const owners = objects.filter((object) => Object.hasOwn(object, field));
        return describe(
          field,
          owners.map((object) => object[field]),
          { expected: objects.length, depth: level },
        );
      });
      const lists: unknown[][] = around.filter(Array.isArray);
      const entries = lists.flatMap((list) => list.slice(0, entriesLookedAt)).slice(0, entriesLookedAt);
      return entries.length > 0
        ? [...fields, describe("[]", entries, { expected: entries.length, depth: level })]
        : fields;
    }
  };
}

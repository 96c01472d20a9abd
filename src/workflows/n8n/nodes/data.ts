import type { Mapped, Mapper, Missing } from "../mapped.ts";
import { listOf, pairsOf, parseJson, type Reader, splitNames, textOf, valueAt } from "../reader.ts";

const setFields: Mapper = (read, { typeVersion }) => {
  read.raw("options");
  if (read.raw("mode") === "raw") return setFromJson(read);
  const isNewer = typeVersion >= 3;
  const fields = isNewer ? readAssignments(read) : readOlderValues(read);
  const keepOthers = isNewer ? keepsOthers(read, typeVersion) : read.raw("keepOnlySet") !== true;
  if (Object.keys(fields).some((name) => name.includes(".")))
    read.remark("A dot in the name of a field is part of the name here, and makes no object.");
  return { to: "set_fields", parameters: { fields, keepOthers } };
};

function keepsOthers(read: Reader, typeVersion: number): boolean {
  const include = read.raw("include");
  if (include === "selected" || include === "except")
    read.remark("All other fields of the item stay; in n8n it were some of them.");
  const all = read.raw("includeOtherFields");
  return typeVersion >= 3.3 ? all === true : (include ?? "all") !== "none";
}

function readAssignments(read: Reader): Record<string, unknown> {
  const rows = [...listOf(read.raw("assignments.assignments")), ...listOf(read.raw("fields.values"))];
  return Object.fromEntries(
    rows.flatMap((row) => {
      const name = valueAt(row, "name");
      if (typeof name !== "string" || name === "" || name in {}) return [];
      const type = textOf(valueAt(row, "type"), "string").replace(/Value$/, "");
      const given = valueAt(row, "value") ?? valueAt(row, `${type}Value`) ?? "";
      return [[name, toType(read.translate(given, name), type)]];
    }),
  );
}

/** n8n keeps numbers and lists as texts with their type beside them. */
function toType(value: unknown, type: string): unknown {
  if (typeof value !== "string" || value.includes("{{")) return value;
  if (type === "number" && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  if (type === "boolean" && /^(?:true|false)$/.test(value)) return value === "true";
  return type === "array" || type === "object" ? (parseJson(value) ?? value) : value;
}

const readOlderValues = (read: Reader): Record<string, unknown> =>
  Object.fromEntries(
    ["string", "number", "boolean"].flatMap((type) =>
      pairsOf(read.raw(`values.${type}`)).map(({ name, value }) => [name, read.translate(value ?? "", name)]),
    ),
  );

function setFromJson(read: Reader): Mapped | Missing {
  const text = read.raw("jsonOutput");
  const fields = typeof text === "string" ? parseJson(text.replace(/^=/, "")) : text;
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    return { missing: "The JSON of this node has expressions outside of texts. Write it as a Transform." };
  const marked = typeof text === "string" && text.startsWith("=") ? markExpressions(fields) : fields;
  const keepOthers = read.raw("includeOtherFields") === true;
  return { to: "set_fields", parameters: { fields: read.translate(marked, "jsonOutput"), keepOthers } };
}

/** In one text with expressions every text within may have some. */
function markExpressions(value: unknown): unknown {
  if (typeof value === "string") return value.includes("{{") ? `=${value}` : value;
  if (Array.isArray(value)) return value.map(markExpressions);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, markExpressions(entry)]));
}

const sort: Mapper = (read) => {
  read.raw("options");
  if ((read.raw("type") ?? "simple") !== "simple")
    return { missing: "Items are sorted by fields here, not by code or by chance." };
  const by = listOf(read.raw("sortFieldsUi.sortField")).flatMap((row) => {
    const [field, order] = [valueAt(row, "fieldName"), valueAt(row, "order") ?? "ascending"];
    return typeof field === "string" && field !== "" ? [{ field, order }] : [];
  });
  return { to: "sort_and_limit", parameters: { by } };
};

const limit: Mapper = (read) => {
  if (read.raw("keep") === "lastItems")
    return { missing: "Sort and limit keeps the first items. Turn the order round before it." };
  return { to: "sort_and_limit", parameters: { limit: read.value("maxItems") ?? 1 } };
};

const aggregate: Mapper = (read) => {
  for (const name of ["options", "include"]) read.raw(name);
  if ((read.raw("aggregate") ?? "aggregateIndividualFields") === "aggregateAllItemData") {
    const name = read.raw("destinationFieldName") ?? "data";
    return { to: "aggregate", parameters: { values: [{ name, operation: "collect" }] } };
  }
  const values = listOf(read.raw("fieldsToAggregate.fieldToAggregate")).flatMap((row) => {
    const field = valueAt(row, "fieldToAggregate");
    if (typeof field !== "string" || field === "") return [];
    const renamed = valueAt(row, "renameField") === true ? valueAt(row, "outputFieldName") : "";
    const name = typeof renamed === "string" && renamed !== "" ? renamed : field.split(".").at(-1);
    return [{ name, operation: "collect", field }];
  });
  return { to: "aggregate", parameters: { values } };
};

const operations = new Set(["count", "sum", "average", "min", "max", "append"]);

const summarize: Mapper = (read) => {
  read.raw("options");
  const values = listOf(read.raw("fieldsToSummarize.values")).flatMap((row) => {
    const [wanted, field] = [textOf(valueAt(row, "aggregation"), "count"), valueAt(row, "field")];
    if (!operations.has(wanted)) read.remark(`“${wanted}” is left out: Aggregate has no such operation.`);
    if (!operations.has(wanted) || typeof field !== "string" || field === "") return [];
    const isList = wanted === "append";
    return [{ name: `${isList ? "appended" : wanted}_${field}`, operation: isList ? "collect" : wanted, field }];
  });
  return { to: "aggregate", parameters: { groupBy: namesAt(read, "fieldsToSplitBy"), values } };
};

const namesAt = (read: Reader, path: string): string[] => {
  const found = read.raw(path);
  return typeof found === "string" ? splitNames(found) : [];
};

const dedupe: Mapper = (read) => {
  read.raw("options");
  if ((read.raw("operation") ?? "removeDuplicateInputItems") !== "removeDuplicateInputItems")
    return { missing: "Earlier runs are not remembered here. A trigger that looks at a service takes each item once." };
  const compare = read.raw("compare") ?? "allFields";
  if (compare === "allFieldsExcept") return { missing: "Remove duplicates compares all fields, or those you name." };
  return { to: "dedupe", parameters: { by: compare === "allFields" ? [] : namesAt(read, "fieldsToCompare") } };
};

const splitOut: Mapper = (read) => {
  const field = read.raw("fieldToSplitOut");
  read.raw("options");
  if (typeof field !== "string" || !/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(field))
    return { missing: "Only one field with a plain name is split out. Write it as a Transform." };
  if ((read.raw("include") ?? "noOtherFields") !== "noOtherFields")
    read.remark("Other fields of the item are left out. Refer to them by the node they come from.");
  read.remark("An element that is no object becomes {value}.");
  return { to: "transform", parameters: { expression: `$input.${field}` } };
};

export const dataNodes: Record<string, Mapper> = {
  set: setFields,
  sort,
  limit,
  aggregate,
  summarize,
  removeDuplicates: dedupe,
  splitOut,
};

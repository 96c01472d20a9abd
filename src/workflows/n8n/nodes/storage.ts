import { isExpression } from "../expressions/translate-text.ts";
import type { Mapped, Mapper, Missing } from "../mapped.ts";
import { type Reader, textOf } from "../reader.ts";
import { app, limit, text } from "./app.ts";

type Sql = { product: "postgres" | "mysql"; title: string; placeholder: (index: number) => string; quote: string };

const postgresSql: Sql = { product: "postgres", title: "PostgreSQL", placeholder: (index) => `$${index}`, quote: '"' };
const mysqlSql: Sql = { product: "mysql", title: "MySQL", placeholder: () => "?", quote: "`" };

const longestStatement = 20_000;

const database =
  (sql: Sql): Mapper =>
  (read) => {
    const operation = textOf(read.raw("operation"), "insert");
    read.raw("options");
    if (operation === "executeQuery") return executeQuery(sql, read);
    if (operation === "insert") return insertRow(sql, read);
    if (operation === "select" || operation === "getAll") return selectRows(sql, read);
    return {
      missing: `Write “${operation}” as a statement in ${sql.title} execute, with placeholders for the values.`,
    };
  };

/** What n8n puts into the statement as text becomes a value of its own: nothing that arrives can be taken for SQL. */
function executeQuery({ product, placeholder }: Sql, read: Reader): Mapped | Missing {
  const query = read.raw("query");
  if (typeof query !== "string" || query.length > longestStatement)
    return { missing: `It has no statement, or one of more than ${longestStatement} characters.` };
  const { statement, values } = isExpression(query)
    ? takeValues(query.slice(1), placeholder)
    : { statement: query, values: [] };
  if (statement === undefined)
    return { missing: "Its statement puts values into the middle of texts or names. Write it with placeholders." };
  const params = values.map((value) => read.translate(`={{${value}}}`, "query"));
  const replaced = read.value("options.queryReplacement") ?? read.value("additionalFields.queryParams");
  if (replaced !== undefined) read.remark(`Its values were ${textOf(replaced)}: enter them as Parameters.`);
  const isReading = /^\s*(?:select|with|show|explain)\b/i.test(statement);
  const parameters = { sql: statement, ...(params.length > 0 ? { params } : {}) };
  return isReading ? { to: `${product}_query`, parameters } : { to: `${product}_execute`, parameters, ...returned };
}

/** Rows that a statement returns are the items in n8n. */
const returned = { after: "$count($input.rows) > 0 ? $input.rows : $input" };

function takeValues(text: string, placeholder: Sql["placeholder"]): { statement?: string; values: string[] } {
  const values: string[] = [];
  let statement = "";
  let at = 0;
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", at)) {
    const end = text.indexOf("}}", open + 2);
    const [before, after] = [text.charAt(open - 1), text.charAt(end + 2)];
    const isQuoted = open > at && before === "'" && after === "'";
    if (end === -1 || (!isQuoted && partOfText.test(before + after))) return { values: [] };
    values.push(text.slice(open + 2, end));
    statement += text.slice(at, isQuoted ? open - 1 : open) + placeholder(values.length);
    at = end + (isQuoted ? 3 : 2);
  }
  return { statement: statement + text.slice(at), values };
}

/** What a value stands beside when it is only a part of a text or a name. */
const partOfText = /['\w%"`.]/;

const nameOf = (sql: Sql, name: unknown): string | undefined =>
  typeof name === "string" && /^[\w $-]{1,63}$/.test(name) ? `${sql.quote}${name}${sql.quote}` : undefined;

function tableOf(sql: Sql, read: Reader): string | undefined {
  const [schema, table] = [nameOf(sql, read.raw("schema")), nameOf(sql, read.raw("table"))];
  return table && schema && sql.product === "postgres" ? `${schema}.${table}` : table;
}

function insertRow(sql: Sql, read: Reader): Mapped | Missing {
  const table = tableOf(sql, read);
  const given = read.raw("columns.value");
  read.raw("columns.mappingMode");
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  const names = entries.map(([name]) => nameOf(sql, name));
  if (!table || names.length === 0 || names.includes(undefined))
    return { missing: `Write it as a statement in ${sql.title} execute: INSERT INTO … with placeholders.` };
  const places = names.map((_, index) => sql.placeholder(index + 1)).join(", ");
  const params = entries.map(([name, value]) => read.translate(value, name));
  const statement = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`;
  return { to: `${sql.product}_execute`, parameters: { sql: statement, params } };
}

function selectRows(sql: Sql, read: Reader): Mapped | Missing {
  const table = tableOf(sql, read);
  if (!table) return { missing: `Write it as a statement in ${sql.title} query.` };
  if (read.raw("where") !== undefined) read.remark("Its conditions are left out: write them into the statement.");
  const wanted = read.raw("returnAll") === true ? 10_000 : read.raw("limit");
  return {
    to: `${sql.product}_query`,
    parameters: { sql: `SELECT * FROM ${table}`, limit: typeof wanted === "number" ? Math.min(wanted, 10_000) : 50 },
  };
}

const redis = app({
  title: "Redis",
  usual: { operation: "info" },
  rules: [
    {
      when: { operation: "get" },
      to: "redis_get",
      fields: { key: "key" },
      remark: "What is found is in the field value.",
    },
    {
      when: { operation: "set" },
      to: "redis_set",
      fields: {
        key: "key",
        value: text("value"),
        ttlSeconds: (read) => (read.raw("expire") === true ? read.value("ttl") : undefined),
      },
    },
  ],
});

const s3 = app({
  title: "S3",
  usual: { resource: "file", operation: "upload" },
  rules: [
    {
      when: { resource: "file", operation: "upload" },
      to: "s3_put_object",
      fields: { bucket: "bucketName", key: "fileName", content: "fileContent" },
    },
    {
      when: { resource: "file", operation: "download" },
      to: "s3_get_object",
      fields: { bucket: "bucketName", key: "fileKey" },
    },
    {
      when: { resource: "file", operation: "delete" },
      to: "s3_delete_object",
      fields: { bucket: "bucketName", key: "fileKey" },
    },
    {
      when: { resource: "file", operation: "getAll" },
      to: "s3_list_objects",
      fields: { bucket: "bucketName", prefix: "options.prefix", limit: limit(1000) },
    },
  ],
});

export const storageNodes: Record<string, Mapper> = {
  postgres: database(postgresSql),
  mySql: database(mysqlSql),
  redis,
  s3,
  awsS3: s3,
};

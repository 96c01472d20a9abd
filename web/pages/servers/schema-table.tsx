import { listSchemaRows } from "./schema-rows.ts";

/** A schema as a table of its fields. */
export function SchemaTable({
  schema,
  label,
  empty,
}: {
  schema: Record<string, unknown>;
  label: string;
  empty: string;
}) {
  const rows = listSchemaRows(schema);
  if (rows.length === 0) return <p className="text-sm text-muted">{empty}</p>;
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">{label}</caption>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="py-2 pr-4 font-medium">
              Field
            </th>
            <th scope="col" className="py-2 pr-4 font-medium">
              Type
            </th>
            <th scope="col" className="py-2 font-medium">
              Meaning
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ path, type, isRequired, description, details }) => (
            <tr key={path} className="align-top">
              <td className="py-2 pr-4">
                <code className="text-xs wrap-anywhere">{path}</code>
                {isRequired && <span className="ml-2 text-xs text-muted">required</span>}
              </td>
              <td className="py-2 pr-4 text-muted">{type}</td>
              <td className="py-2">
                {description}
                {details.length > 0 && (
                  <span className="block text-xs text-muted wrap-anywhere">{details.join(" · ")}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

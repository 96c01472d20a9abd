import { DataValue } from "./data-value.tsx";
import { columnsOf, isObject } from "./describe-data.ts";
import { PickButton } from "./pick-button.tsx";
import { stepInto } from "./reference-path.ts";
import { useShowMore } from "./show-more.tsx";

type DataTableProps = { value: unknown; label: string; root: string; isEach?: boolean };

export function DataTable({ value, label, root, isEach = false }: DataTableProps) {
  if (Array.isArray(value)) return <RowTable rows={value} label={label} root={root} isEach={isEach} />;
  return <FieldTable value={isObject(value) ? value : {}} label={label} root={root} />;
}

type RowTableProps = { rows: unknown[]; label: string; root: string; isEach: boolean };

function RowTable({ rows, label, root, isEach }: RowTableProps) {
  const all = columnsOf(rows);
  const columns = useShowMore(all.length, 30);
  const more = useShowMore(rows.length, 50);
  const names = all.slice(0, columns.shown);
  return (
    <>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-surface">
          <tr>
            <th scope="col" className="w-px border-b border-line px-2.5 py-1.5 font-normal text-muted">
              <span className="sr-only">Row</span>#
            </th>
            {names.map((name) => (
              <th key={name} scope="col" className="border-b border-line px-2.5 py-1.5 font-medium whitespace-nowrap">
                <PickButton path={root && stepInto(root, name)}>{name}</PickButton>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, more.shown).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of data have no other identity
            <tr key={index} className="align-top hover:bg-hover">
              <td className="border-b border-line px-2.5 py-1.5 text-xs text-muted">{index + 1}</td>
              {isObject(row) ? (
                names.map((name) => (
                  <td key={name} className="max-w-80 border-b border-line px-2.5 py-1.5">
                    <Cell row={row} name={name} path={root && stepInto(isEach ? root : stepInto(root, index), name)} />
                  </td>
                ))
              ) : (
                <td colSpan={Math.max(1, names.length)} className="border-b border-line px-2.5 py-1.5">
                  <DataValue value={row} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="flex flex-wrap gap-2 p-1.5 empty:hidden">
        {more.button}
        {columns.button}
      </div>
    </>
  );
}

function Cell({ row, name, path }: { row: Record<string, unknown>; name: string; path: string }) {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  // A long text has a button of its own, which cannot be inside of another.
  if (value === undefined || (typeof value === "string" && value.length > 100)) return <DataValue value={value} />;
  return (
    <PickButton path={path}>
      <DataValue value={value} />
    </PickButton>
  );
}

function FieldTable({ value, label, root }: { value: Record<string, unknown>; label: string; root: string }) {
  const entries = Object.entries(value);
  const more = useShowMore(entries.length);
  return (
    <>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{label}</caption>
        <tbody>
          {entries.slice(0, more.shown).map(([name, entry]) => (
            <tr key={name} className="align-top hover:bg-hover">
              <th scope="row" className="w-px border-b border-line px-2.5 py-1.5 font-medium whitespace-nowrap">
                <PickButton path={stepInto(root, name)}>{name}</PickButton>
              </th>
              <td className="border-b border-line px-2.5 py-1.5">
                <DataValue value={entry} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more.button && <div className="p-1.5">{more.button}</div>}
    </>
  );
}

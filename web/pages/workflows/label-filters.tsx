import { useQuery } from "@tanstack/react-query";
import { workflowLabelsQuery } from "../../api/workflows.ts";
import { controlLook } from "../../parts/field.tsx";

type LabelFiltersProps = {
  organizationId: string;
  folder: string;
  tag: string;
  onChange: (change: { folder?: string; tag?: string }) => void;
};

/** Nothing as long as nobody uses folders or tags. */
export function LabelFilters({ organizationId, folder, tag, onChange }: LabelFiltersProps) {
  const { data } = useQuery(workflowLabelsQuery(organizationId));
  const folders = withParents(data?.folders.map((entry) => entry.folder) ?? []);
  const tags = data?.tags.map((entry) => entry.tag) ?? [];
  return (
    <>
      <LabelSelect
        label="Folder"
        all="All folders"
        names={folders}
        value={folder}
        onChange={(next) => onChange({ folder: next })}
      />
      <LabelSelect label="Tag" all="All tags" names={tags} value={tag} onChange={(next) => onChange({ tag: next })} />
    </>
  );
}

/** A folder with nothing but folders in it is one, too. */
function withParents(folders: string[]): string[] {
  const parts = folders.map((folder) => folder.split("/"));
  const all = parts.flatMap((names) => names.map((_, index) => names.slice(0, index + 1).join("/")));
  return [...new Set(all)].sort();
}

type LabelSelectProps = {
  label: string;
  all: string;
  names: string[];
  value: string;
  onChange: (value: string) => void;
};

function LabelSelect({ label, all, names, value, onChange }: LabelSelectProps) {
  if (names.length === 0 && value === "") return null;
  return (
    <select
      aria-label={label}
      className={`${controlLook} flex-1 basis-36 sm:w-44 sm:flex-none`}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {[...new Set([...names, ...(value === "" ? [] : [value])])].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

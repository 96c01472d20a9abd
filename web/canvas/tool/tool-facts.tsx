import type { Workflow } from "../../../src/workflows/wire.ts";

/** The tool as those see it who may not change it. */
export function ToolFacts({ workflow: { tool, description } }: { workflow: Workflow }) {
  if (!tool) return <p className="text-sm text-muted">This workflow is not offered as a tool.</p>;
  return (
    <dl className="grid gap-3 text-sm">
      <div>
        <dt className="font-medium">Name of the tool</dt>
        <dd className="font-mono wrap-anywhere">{tool.name}</dd>
      </div>
      {description && (
        <div>
          <dt className="font-medium">Description</dt>
          <dd className="wrap-anywhere">{description}</dd>
        </div>
      )}
      {tool.inputs.map(({ name, type, description: words, required }) => (
        <div key={name}>
          <dt className="font-mono">{name}</dt>
          <dd className="text-muted wrap-anywhere">
            {type}
            {required ? ", required" : ""}
            {words && `. ${words}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}

import type { TriggerKind } from "../../../src/triggers/wire.ts";
import type { WorkflowFile } from "../../../src/workflows/file-wire.ts";
import type { Canvas } from "../../../src/workflows/wire.ts";

/** What starts a workflow that is made of a template; `hand` for nothing but a person or a program. */
export type Starts = TriggerKind | "tool" | "hand";

export type Template = {
  id: string;
  starts: Starts;
  /** The service that its trigger is about, where it is about one. */
  sender?: string;
  /** Other words that people look for it with. */
  words: string[];
  canvas: Canvas;
  file: WorkflowFile;
};

type TemplateFile = WorkflowFile & { template: Pick<Template, "starts" | "sender" | "words"> };

const files = import.meta.glob<TemplateFile>("./files/*.json", { eager: true, import: "default" });

const compare = (one: Template, other: Template): number => one.file.name.localeCompare(other.file.name, "en");

/** Workflows to begin with, one for each file. The one that needs nothing comes first. */
export const templates: readonly Template[] = Object.entries(files)
  .map(([path, { template, ...file }]) => ({
    id: path.slice("./files/".length, -".json".length),
    ...template,
    canvas: file.canvas as unknown as Canvas,
    file,
  }))
  .sort((one, other) => Number(other.id === "first-run") - Number(one.id === "first-run") || compare(one, other));

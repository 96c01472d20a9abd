import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { BulkRequest } from "../../../src/workflows/label-wire.ts";
import type { WorkflowSummary } from "../../../src/workflows/wire.ts";
import { workflowLabelsQuery } from "../../api/workflows.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";

type Change = NonNullable<BulkRequest["change"]>;
type LabelsDialogProps = {
  organizationId: string;
  workflows: WorkflowSummary[];
  save: (change: Change) => Promise<unknown>;
  onClose: () => void;
};

/** The folder and the tags of one workflow or of several; tags that only some of them have stay with those. */
export function LabelsDialog({ organizationId, workflows, save, onClose }: LabelsDialogProps) {
  const id = useId();
  const { data } = useQuery(workflowLabelsQuery(organizationId));
  const [first, ...others] = workflows;
  const shared = first?.tags.filter((tag) => others.every(({ tags }) => tags.includes(tag))) ?? [];
  const isTogether = others.every(({ folder }) => folder === first?.folder);

  async function send(field: (name: string) => string): Promise<void> {
    const tags = field("tags")
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "");
    const folder = field("folder");
    const removeTags = shared.filter((tag) => !tags.includes(tag));
    await save({
      // A field that was left empty for folders that differ says nothing about them.
      ...(folder !== "" || isTogether ? { folder } : {}),
      addTags: tags,
      removeTags,
    });
    onClose();
  }

  return (
    <Dialog open onOpenChange={onClose} title="Folder and tags" description={describe(workflows)}>
      <Form wide submit="Save" send={send}>
        <TextField
          label="Folder"
          name="folder"
          required={false}
          maxLength={300}
          autoComplete="off"
          list={`${id}-folders`}
          defaultValue={isTogether ? first?.folder : ""}
          placeholder={isTogether ? "In no folder" : "In different folders: type one to move them all"}
          hint="For a folder inside another, put a slash between them: Sales/Invoices."
        />
        <TextField
          label="Tags"
          name="tags"
          required={false}
          autoComplete="off"
          defaultValue={shared.join(", ")}
          hint={
            others.length > 0
              ? "With commas between them. Tags that only some of them have stay as they are."
              : "With commas between them."
          }
        />
        <datalist id={`${id}-folders`}>
          {data?.folders.map(({ folder }) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
      </Form>
    </Dialog>
  );
}

const describe = (workflows: WorkflowSummary[]): string =>
  workflows.length === 1 ? `Of “${workflows[0]?.name ?? ""}”.` : `Of ${workflows.length} workflows.`;

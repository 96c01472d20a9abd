import { FileUp } from "lucide-react";
import { type DragEvent, useId, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { controlLook } from "../../../parts/field.tsx";

type ChooseFileProps = {
  isBusy: boolean;
  onText: (text: string, name: string) => void;
  onFault: (fault: string) => void;
};

/** Choose a file, drop it, or paste its text. */
export function ChooseFile({ isBusy, onText, onFault }: ChooseFileProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);

  async function take(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      onText(await file.text(), file.name);
    } catch {
      onFault(`${file.name} cannot be read. Choose it again.`);
    }
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    void take(event.dataTransfer.files[0]);
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is the second way; the button inside is the first. */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={`grid justify-items-center gap-3 rounded-lg border border-dashed px-4 py-8 ${isOver ? "border-accent bg-accent-soft" : "border-field"}`}
      >
        <FileUp className="size-6 text-muted" aria-hidden="true" />
        <Button busy={isBusy} onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <p className="text-sm text-muted">or drop it here</p>
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          aria-label="Workflow file"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            // The same file can be chosen again once it is mended.
            event.target.value = "";
          }}
        />
      </div>
      <PasteText isBusy={isBusy} onText={onText} />
    </>
  );
}

function PasteText({ isBusy, onText }: Pick<ChooseFileProps, "isBusy" | "onText">) {
  const id = useId();
  const [text, setText] = useState("");
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Or paste it
      </label>
      <textarea
        id={id}
        rows={4}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="JSON of a workflow, also what n8n copies"
        className={`${controlLook} font-mono text-xs!`}
      />
      {text.trim() !== "" && (
        <Button className="justify-self-start" busy={isBusy} onClick={() => onText(text, "What you pasted")}>
          Read it
        </Button>
      )}
    </div>
  );
}

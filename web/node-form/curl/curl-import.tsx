import { SquareTerminal } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CurlDialog } from "./curl-dialog.tsx";
import type { CurlParameters } from "./read-curl.ts";

type CurlImportProps = {
  parameters: Record<string, unknown>;
  onChange: (parameters: Record<string, unknown>) => void;
  /** The form of the request. */
  children: ReactNode;
};

/** A button that imports a curl command, which pasting one into the form does too. */
export function CurlImport({ parameters, onChange, children }: CurlImportProps) {
  const [text, setText] = useState<string>();
  return (
    <>
      <Button className="justify-self-start" onClick={() => setText("")}>
        <SquareTerminal className="size-4" aria-hidden="true" />
        Import curl
      </Button>
      <div
        className="contents"
        onPasteCapture={(event) => {
          const pasted = event.clipboardData.getData("text/plain");
          if (!/^\s*curl\s+\S/.test(pasted)) return;
          event.preventDefault();
          event.stopPropagation();
          setText(pasted);
        }}
      >
        {children}
      </div>
      {text !== undefined && (
        <CurlDialog
          text={text}
          onText={setText}
          onClose={() => setText(undefined)}
          onTake={(taken) => {
            onChange(takeOver(parameters, taken));
            setText(undefined);
          }}
        />
      )}
    </>
  );
}

/** The whole request is the command's; how the node takes an answer stays. */
function takeOver({ errorStatus }: Record<string, unknown>, taken: CurlParameters): Record<string, unknown> {
  return errorStatus === undefined ? { ...taken } : { ...taken, errorStatus };
}

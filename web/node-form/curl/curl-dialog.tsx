import { useId } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { type CurlParameters, type ReadCurl, readCurl } from "./read-curl.ts";

type CurlDialogProps = {
  text: string;
  onText: (text: string) => void;
  onTake: (parameters: CurlParameters) => void;
  onClose: () => void;
};

/** Shows what a curl command says before it goes into the form. Nothing is sent. */
export function CurlDialog({ text, onText, onTake, onClose }: CurlDialogProps) {
  const id = useId();
  const read = text.trim() === "" ? undefined : readCurl(text);
  const parameters = read && "parameters" in read ? read.parameters : undefined;
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title="Import a curl command"
      description="Paste it as copied from a browser or from documentation. Nothing is sent."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (parameters) onTake(parameters);
        }}
      >
        <label htmlFor={id} className="sr-only">
          curl command
        </label>
        <textarea
          id={id}
          rows={6}
          spellCheck={false}
          autoComplete="off"
          placeholder="curl https://api.example.com/v1/items -H 'Accept: application/json'"
          value={text}
          onChange={(event) => onText(event.target.value)}
          className={`${controlLook} font-mono text-xs!`}
        />
        {read && <Understood read={read} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!parameters} className="disabled:opacity-60">
            Fill in the form
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Understood({ read }: { read: ReadCurl }) {
  if ("fault" in read) return <Notice kind="problem">{read.fault}</Notice>;
  const { parameters, secrets, notes } = read;
  return (
    <>
      <dl className="grid min-w-0 rounded-lg border border-line text-sm">
        {rowsOf(parameters).map(([name, value]) => (
          <div key={name} className="grid grid-cols-[7rem_1fr] gap-2 border-line px-3 py-2 not-last:border-b">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      {secrets.length > 0 && (
        <Notice kind="warning">
          Left out: {secrets.join(", ")}. A secret does not belong in a workflow. Keep it in an account: choose “Create
          or connect” in the form, and it is sent to {hostOf(parameters.url)} alone.
        </Notice>
      )}
      {notes.map((note) => (
        <p key={note} className="text-sm text-muted">
          {note}
        </p>
      ))}
    </>
  );
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? "its address";

function rowsOf({ method = "GET", url, query, headers, body, bodyType }: CurlParameters): [string, string][] {
  const rows: [string, string | undefined][] = [
    ["Address", `${method} ${url}`],
    ["Query", query && Object.keys(query).join(", ")],
    ["Headers", headers && Object.keys(headers).join(", ")],
    ["Body", body === undefined ? undefined : `${kindOfBody(bodyType)}, ${sizeOf(body)}`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
}

const kindOfBody = (type: CurlParameters["bodyType"]): string =>
  type === undefined ? "JSON" : type === "form" ? "Form" : "Text";

function sizeOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return `${String(body).length} characters`;
  const { length } = Object.keys(body);
  const word = Array.isArray(body) ? ["entry", "entries"] : ["field", "fields"];
  return `${length} ${length === 1 ? word[0] : word[1]}`;
}

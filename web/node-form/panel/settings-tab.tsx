import type { CanvasNode } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { setField } from "../field-values.ts";
import { SchemaForm } from "../schema-form.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import type { NodePanelProps } from "./node-panel-props.ts";
import { NoteField } from "./note-field.tsx";

type SettingsTabProps = Pick<NodePanelProps, "node" | "kind" | "faults" | "readOnly" | "onChange"> & {
  idPrefix: string;
};

/** How the node is executed, whatever it does. */
export function SettingsTab({ node, kind, faults, readOnly, onChange, idPrefix }: SettingsTabProps) {
  const settings = node.settings ?? {};
  const change = (next: Record<string, unknown>) =>
    onChange(changeNode(node, "settings", next as CanvasNode["settings"]));
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const isSwitch = ([name]: [string, unknown]) => switches.some((one) => one.name === name);
  const numbers = Object.fromEntries(given.filter((one) => !isSwitch(one)));
  return (
    <>
      <NoteField node={node} faults={faults} readOnly={readOnly} onChange={onChange} idPrefix={idPrefix} />
      <SchemaForm
        schema={numberSettings}
        value={numbers}
        onChange={(next) => change({ ...next, ...Object.fromEntries(given.filter(isSwitch)) })}
        faults={faultsBelow(faults, "/settings")}
        readOnly={readOnly}
        idPrefix={`${idPrefix}/settings`}
      />
      {switches.map(({ name, label, hint }) => (
        <Switch
          key={name}
          id={`${idPrefix}/settings/${name}`}
          label={label}
          hint={hint}
          isOn={settings[name] === true}
          readOnly={readOnly}
          onChange={(isOn) => change(setField(settings, name, isOn || undefined))}
        />
      ))}
      {kind && <About kind={kind} />}
    </>
  );
}

/** What kind of node it is, for those who did not choose it themselves. */
function About({ kind: { id, title, description, provider } }: { kind: NodeKind }) {
  return (
    <div className="grid gap-1 border-t border-line pt-4 text-xs text-muted">
      <p className="wrap-anywhere">{description}</p>
      <p>{provider ? <code className="font-mono text-ink">{id}</code> : `Built-in node ${title}`}</p>
    </div>
  );
}

const switches = [
  {
    name: "continueOnError",
    label: "Continue on error",
    hint: "The run goes on when this node fails; what follows gets an item with the error and the item that failed.",
  },
  {
    name: "repeatAfterInterruption",
    label: "Repeat after an interruption",
    hint: "If nobody knows whether this node did its work, it is executed again, and may do it twice. Otherwise it fails and says so.",
  },
  {
    name: "continueWhenEmpty",
    label: "Always continue",
    hint: "What follows is executed with an empty list when no items come out. Otherwise it is skipped.",
  },
  {
    name: "modelMayWriteExpressions",
    label: "The model may write expressions",
    hint: "Where a language model fills a field that is an expression, it may write one, which is evaluated. Otherwise it writes values.",
  },
  {
    name: "disabled",
    label: "Disabled",
    hint: "Items pass through this node untouched. Where it has several ways, all take the first one.",
  },
] as const;

type SwitchProps = {
  id: string;
  label: string;
  hint: string;
  isOn: boolean;
  readOnly: boolean;
  onChange: (isOn: boolean) => void;
};

function Switch({ id, label, hint, isOn, readOnly, onChange }: SwitchProps) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 gap-y-1">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        disabled={readOnly}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={`${id}-hint`}
        className="mt-0.5 size-4 accent-accent"
      />
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <p id={`${id}-hint`} className="col-start-2 text-xs text-muted">
        {hint}
      </p>
    </div>
  );
}

const numberSettings = {
  type: "object",
  properties: {
    retries: {
      type: "integer",
      title: "Retries",
      description: "How often a failed item is tried again, up to 20 times.",
      default: 0,
    },
    retryDelay: {
      type: "integer",
      title: "Delay before a retry, in milliseconds",
      description: "Doubled for each further attempt.",
      default: 1000,
    },
    timeout: {
      type: "integer",
      title: "Time limit, in milliseconds",
      description: "How long one execution of the node may take; without it the limit of the installation counts.",
    },
    itemsAtOnce: {
      type: "integer",
      title: "Items at once",
      description: "How many items the node works on at the same time, up to 32. They come out in their order.",
      default: 1,
    },
  },
};

import type { CanvasNode } from "../../../src/workflows/wire.ts";
import { setField } from "../field-values.ts";
import { SchemaForm } from "../schema-form.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

type SettingsTabProps = Pick<NodePanelProps, "node" | "faults" | "readOnly" | "onChange"> & { idPrefix: string };

/** How the node is executed, whatever it does. */
export function SettingsTab({ node, faults, readOnly, onChange, idPrefix }: SettingsTabProps) {
  const settings = node.settings ?? {};
  const change = (next: Record<string, unknown>) => onChange(changeNode(node, "settings", next as CanvasNode["settings"]));
  const { continueOnError, repeatAfterInterruption, continueWhenEmpty, modelMayWriteExpressions, disabled, ...numbers } = settings;
  const given = Object.entries({ continueOnError, repeatAfterInterruption, continueWhenEmpty, modelMayWriteExpressions, disabled }).filter(
    ([, isOn]) => isOn !== undefined,
  );
  const switches = Object.fromEntries(given);
  return (
    <>
      <SchemaForm
        schema={numberSettings}
        value={numbers}
        onChange={(next) => change({ ...next, ...switches })}
        faults={faultsBelow(faults, "/settings")}
        readOnly={readOnly}
        idPrefix={`${idPrefix}/settings`}
      />
      <Switch
        id={`${idPrefix}/settings/continueOnError`}
        label="Continue on error"
        hint="The run goes on when this node fails; what follows gets an item with the error and the item that failed."
        isOn={continueOnError === true}
        readOnly={readOnly}
        onChange={(isOn) => change(setField(settings, "continueOnError", isOn || undefined))}
      />
      <Switch
        id={`${idPrefix}/settings/repeatAfterInterruption`}
        label="Repeat after an interruption"
        hint="If nobody knows whether this node did its work, it is executed again, and may do it twice. Otherwise it fails and says so."
        isOn={repeatAfterInterruption === true}
        readOnly={readOnly}
        onChange={(isOn) => change(setField(settings, "repeatAfterInterruption", isOn || undefined))}
      />
      <Switch
        id={`${idPrefix}/settings/continueWhenEmpty`}
        label="Always continue"
        hint="What follows is executed with an empty list when no items come out. Otherwise it is skipped."
        isOn={continueWhenEmpty === true}
        readOnly={readOnly}
        onChange={(isOn) => change(setField(settings, "continueWhenEmpty", isOn || undefined))}
      />
      <Switch
        id={`${idPrefix}/settings/modelMayWriteExpressions`}
        label="The model may write expressions"
        hint="Where a language model fills a field that is an expression, it may write one, which is evaluated. Otherwise it writes values."
        isOn={modelMayWriteExpressions === true}
        readOnly={readOnly}
        onChange={(isOn) => change(setField(settings, "modelMayWriteExpressions", isOn || undefined))}
      />
      <Switch
        id={`${idPrefix}/settings/disabled`}
        label="Disabled"
        hint="Items pass through this node untouched. Where it has several ways, all take the first one."
        isOn={disabled === true}
        readOnly={readOnly}
        onChange={(isOn) => change(setField(settings, "disabled", isOn || undefined))}
      />
    </>
  );
}

type SwitchProps = { id: string; label: string; hint: string; isOn: boolean; readOnly: boolean; onChange: (isOn: boolean) => void };

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
    retries: { type: "integer", title: "Retries", description: "How often a failed item is tried again, up to 20 times.", default: 0 },
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

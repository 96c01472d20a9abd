import { type FocusEvent, type KeyboardEvent, use, useEffect, useEffectEvent, useRef, useState } from "react";
import { StepBar, StepButton, StepProblem } from "../canvas/stepping/step-button.tsx";
import { SteppingContext } from "../canvas/stepping/stepping-context.ts";
import { isInField } from "../parts/is-in-field.ts";
import { keyOf } from "../parts/key-of.ts";
import type { InsertTarget } from "./expressions/expressions.ts";
import { focusField } from "./focus-field.ts";
import { faultsBelow } from "./panel/faults-below.ts";
import { FormTab } from "./panel/form-tab.tsx";
import { IncomingPane } from "./panel/incoming-pane.tsx";
import type { NodePanelProps } from "./panel/node-panel-props.ts";
import { OutputPane } from "./panel/output-pane.tsx";
import { type PaneTab, PaneTabs, type TabName } from "./panel/pane-tabs.tsx";
import { PanelBody } from "./panel/panel-body.tsx";
import { PanelHeader } from "./panel/panel-header.tsx";
import { Panes } from "./panel/panes.tsx";
import { SettingsTab } from "./panel/settings-tab.tsx";
import { useExpressions } from "./panel/use-expressions.ts";
import { useIsRoomy } from "./panel/use-is-roomy.ts";

/** Everything about one node of a canvas: what comes in, what it does with it, and what comes out. */
export function NodePanel(props: NodePanelProps) {
  const { node, kind, field, timesLed, onTouched } = props;
  const [tab, setTab] = useState<TabName>(tabOf(field));
  const [isRoomy, frame] = useIsRoomy();
  const idPrefix = `node-${node.id}`;
  useFocus({ idPrefix, field, timesLed }, setTab);
  const onKeyDown = useKeys(props);
  const { incoming, form, settings, output } = usePanes(props, idPrefix, setTab);
  const onBlur = ({ target }: FocusEvent<HTMLElement>) => {
    if (target.id.startsWith(`${idPrefix}/`)) onTouched?.(target.id.slice(idPrefix.length));
  };

  return (
    <section
      ref={frame}
      aria-label={`Node ${node.name ?? kind?.title ?? node.id}`}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      className="flex h-full min-h-0 min-w-0 flex-col"
    >
      <PanelHeader {...props} idPrefix={idPrefix} />
      <StepProblem nodeId={node.id} />
      {isRoomy === true && (
        <Panes
          incoming={incoming.content}
          output={output.content}
          form={
            <PaneTabs
              label="Parts of the form"
              tab={tab === "settings" ? tab : "form"}
              onTab={setTab}
              tabs={[form, settings]}
            >
              <StepButton nodeId={node.id} />
            </PaneTabs>
          }
        />
      )}
      {isRoomy === false && (
        <>
          <PaneTabs label="Parts of the node" tab={tab} onTab={setTab} tabs={[incoming, form, output, settings]} />
          <StepBar nodeId={node.id} onStep={() => setTab("output")} />
        </>
      )}
    </section>
  );
}

/** What the panel is made of, wherever it stands. */
function usePanes(props: NodePanelProps, idPrefix: string, setTab: (tab: TabName) => void): Record<TabName, PaneTab> {
  const { faults, kind, readOnly } = props;
  const lastField = useRef<InsertTarget>(null);
  const { expressions, scope } = useExpressions({ ...props, lastField });
  const ofSettings = faultsBelow(faults, "/settings").length + faultsBelow(faults, "/note").length;
  const insert = (reference: string) => {
    const target = lastField.current;
    if (!target) return false;
    // The form may be behind another tab, and only what is shown takes the focus.
    setTab("form");
    requestAnimationFrame(() => target.insert(reference));
    return true;
  };
  return {
    incoming: {
      name: "incoming",
      title: "Incoming",
      content: <IncomingPane {...props} scope={scope} onPick={readOnly || !kind ? undefined : insert} />,
    },
    form: {
      name: "form",
      title: "Form",
      faultCount: faults.length - ofSettings,
      content: <FormTab {...props} idPrefix={idPrefix} expressions={expressions} />,
    },
    output: { name: "output", title: "Output", content: <OutputPane {...props} /> },
    settings: {
      name: "settings",
      title: "Settings",
      faultCount: ofSettings,
      content: (
        <PanelBody>
          <SettingsTab {...props} idPrefix={idPrefix} />
        </PanelBody>
      ),
    },
  };
}

/** Keys of the panel; those that a text needs for itself only outside of fields. */
function useKeys({ node, onClose }: NodePanelProps) {
  const stepping = use(SteppingContext);
  const everywhere: Record<string, () => void> = {
    escape: onClose,
    "ctrl+enter": () => stepping?.step(node.id, "node"),
  };
  const outsideOfFields: Record<string, () => void> = {
    "shift+enter": () => stepping?.step(node.id, "toHere"),
    p: () => stepping?.pinOutput(node.id),
  };
  return (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget } = event;
    // A dialog opened from here is a child for React, but not part of the panel.
    if (!(target instanceof Element) || !currentTarget.contains(target)) return;
    const key = keyOf(event);
    const act = everywhere[key] ?? (isInField(target) ? undefined : outsideOfFields[key]);
    if (!act) return;
    event.preventDefault();
    act();
  };
}

const tabOf = (field: string | undefined): TabName => (/^\/(settings|note)/.test(field ?? "") ? "settings" : "form");

type Focus = { idPrefix: string } & Pick<NodePanelProps, "field" | "timesLed">;

/** Goes to a field when the address names one, when it names another later, and when somebody is led there again. */
function useFocus({ idPrefix, field, timesLed }: Focus, setTab: (tab: TabName) => void): void {
  const show = useEffectEvent((pointer: string) => {
    setTab(tabOf(pointer));
    // The tab is shown with the next picture.
    requestAnimationFrame(() => focusField(idPrefix, pointer));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: led to the same field again, one goes there again.
  useEffect(() => {
    if (field) show(field);
  }, [field, timesLed]);
}

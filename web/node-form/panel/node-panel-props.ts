import type { Run } from "../../../src/runs/wire.ts";
import type { Canvas, CanvasNode } from "../../../src/workflows/wire.ts";
import type { Dock } from "../../canvas/editor/use-dock.ts";
import type { NodeKind } from "../../catalog.ts";
import type { FieldFault } from "../../problem.ts";
import type { UnreadTexts } from "../unread-texts.ts";

export type NodePanelProps = {
  organizationId: string;
  workflowId: string;
  canvas: Canvas;
  node: CanvasNode;
  /** Undefined where the installation does not have this type of node. */
  kind: NodeKind | undefined;
  /** Pointers are relative to the node: /parameters/channel. */
  faults: FieldFault[];
  warnings: FieldFault[];
  /** The run whose data is shown. */
  run: Run | undefined;
  /** Pointer of the field to go to. */
  field?: string | undefined;
  /** Another number: go to the field again. */
  timesLed: number;
  readOnly: boolean;
  unreadTexts: UnreadTexts;
  onChange: (node: CanvasNode) => void;
  /** Somebody was in a field and left it. */
  onTouched?: (pointer: string) => void;
  onClose: () => void;
  /** Where the panel stands; undefined where it has one place only. */
  dock?: Dock | undefined;
};

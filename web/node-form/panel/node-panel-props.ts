import type { Run } from "../../../src/runs/wire.ts";
import type { Canvas, CanvasNode } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import type { FieldFault } from "../../problem.ts";

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
  readOnly: boolean;
  onChange: (node: CanvasNode) => void;
  onClose: () => void;
};

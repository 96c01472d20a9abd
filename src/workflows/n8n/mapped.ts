import type { ConvertedNode } from "../translation-wire.ts";
import type { CanvasNode } from "../wire.ts";
import type { N8nNode } from "./read-n8n-file.ts";
import type { Reader } from "./reader.ts";

/** A node of n8n as a node here. */
export type Mapped = {
  /** Its type here. */
  to: string;
  parameters: Record<string, unknown>;
  /** JSONata that makes the items of n8n of those that come out here. It stands in a node of its own behind it. */
  after?: string;
  /** Ways out that stand for an output of n8n; without it there is only one. */
  waysOf?: (output: number) => string[];
  /** What starts the workflow, to be added by hand. */
  trigger?: string;
};

/** Why there is no such node here, and what to do instead. */
export type Missing = { missing: string };

export type Mapper = (read: Reader, node: N8nNode) => Mapped | Missing;

/** What a node becomes, and what a person should know about it. */
export type NodeMapping = { mapped: Mapped | Missing; remarks: string[] };

/** A node of the file with what stands for it on the canvas. */
export type Converted = {
  node: N8nNode;
  mapping: NodeMapping;
  /** The first takes what comes in, the last gives what goes out. None where a note alone is left. */
  parts: CanvasNode[];
  report: ConvertedNode;
};

import { Activity, Blocks, Box, File, type LucideIcon, Play, Workflow } from "lucide-react";
import type { AnyStatus } from "../../parts/status.tsx";

/** Kinds of what can be found, in the order in which they are shown. */
export const kinds = {
  page: "Pages",
  node: "In this workflow",
  workflow: "Workflows",
  run: "Runs",
  server: "MCP servers and tools",
  action: "Do",
} as const;
export type Kind = keyof typeof kinds;

export const kindIcons: Record<Kind, LucideIcon> = {
  page: File,
  node: Box,
  workflow: Workflow,
  run: Activity,
  server: Blocks,
  action: Play,
};

/** One thing to go to or to do. */
export type Place = {
  id: string;
  kind: Kind;
  title: string;
  /** Beside the title, in grey. */
  detail: string;
  /** Other words that people look for it with. */
  synonyms: readonly string[];
  Icon: LucideIcon;
  /** An address of the page to go to, or what is done at once, which changes nothing for others. */
  open: string | (() => void);
  status?: AnyStatus;
};

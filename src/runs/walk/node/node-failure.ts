import type { RefusalCode } from "../../../base/refusal.ts";

/** What a node, or one of its items, failed with. */
export type NodeFailure = { code: RefusalCode; message: string };

import type { OfferedStart } from "../triggers/trigger-kinds.ts";
import type { PickerEntry } from "./search-kinds.ts";

/** A way to start the workflow, among the nodes. */
export const startEntry = (start: OfferedStart): PickerEntry => ({
  id: start.id,
  start,
  title: start.title,
  description: start.words,
  synonyms: start.synonyms,
  section: "trigger",
  needsAccount: false,
});

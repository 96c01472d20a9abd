import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type CollectGarbage = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** Loading the code leaves three times the memory behind that an idle server needs, and V8 sees no reason to give it back. */
export function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as CollectGarbage;
  collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
}

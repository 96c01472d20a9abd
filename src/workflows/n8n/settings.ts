import type { CanvasNode } from "../wire.ts";
import type { N8nNode } from "./read-n8n-file.ts";

const clamp = (value: number, least: number, most: number): number =>
  Math.round(Math.max(least, Math.min(most, value)));
const longestDelayMs = 86_400_000;

/** What n8n keeps beside the parameters of a node, and what of it is otherwise here. */
export function settingsOf(node: N8nNode): { settings: CanvasNode["settings"]; remarks: string[] } {
  const hasErrorOutput = node.onError === "continueErrorOutput";
  const goesOn = node.continueOnFail || hasErrorOutput || node.onError === "continueRegularOutput";
  const settings: CanvasNode["settings"] = {
    ...(node.retryOnFail && {
      retries: clamp(node.maxTries - 1, 0, 20),
      retryDelay: clamp(node.waitBetweenTries, 0, longestDelayMs),
    }),
    ...(goesOn && { continueOnError: true }),
    ...(node.alwaysOutputData && { continueWhenEmpty: true }),
    ...(node.disabled && { disabled: true }),
  };
  const remarks = [
    ...(hasErrorOutput
      ? ["An item that fails goes on the usual way here, as {error, item}. Put a Condition behind it."]
      : []),
    ...(node.executeOnce ? ["In n8n it ran once for all items."] : []),
  ];
  return { settings: Object.keys(settings).length > 0 ? settings : undefined, remarks };
}

/** Of a node behind the first: it only gives items another form, so nothing of it fails or is tried again. */
export function settingsBehind(of: CanvasNode["settings"]): Pick<CanvasNode, "settings"> {
  const settings = {
    ...(of?.continueWhenEmpty && { continueWhenEmpty: true }),
    ...(of?.disabled && { disabled: true }),
  };
  return Object.keys(settings).length > 0 ? { settings } : {};
}

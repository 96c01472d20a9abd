import { expect, it } from "vitest";
import { readWorkflowText } from "./read-workflow-text.ts";

it.each([
  ['{"format":"switchyard.workflow","canvas":{"nodes":[]}}', "own"],
  ['{"canvas":{}}', "own"],
  ['{"nodes":[],"connections":{}}', "n8n"],
  ['{"workflow":{"nodes":[]}}', "n8n"],
  ['[{"nodes":[]}]', "n8n"],
  ["no json", "fault"],
  ["7", "fault"],
  [`"${"x".repeat(5_000_000)}"`, "fault"],
])("tells what %.40s is", (text, kind) => {
  expect(Object.keys(readWorkflowText(text, "flow.json"))).toEqual([kind]);
});

import { type CanvasNote, maxNotes } from "../wire.ts";
import { codeOf, shortType } from "./map-node.ts";
import type { Converted } from "./mapped.ts";
import type { N8nNode } from "./read-n8n-file.ts";

const longestText = 5000;
const [usualWidth, lineHeight, most, lettersInLine] = [280, 20, 10_000, 38];
/** Below a node, and above one. */
const [below, above] = [80, 20];

/** Notes of the file, and one for each node that is missing or that a person has to add a trigger for. */
export function placeNotes(
  converted: Converted[],
  stickies: N8nNode[],
  scale: number,
): { notes: CanvasNote[]; left: string[] } {
  const all = [...converted.flatMap((one) => noteFor(one, scale)), ...stickies.map((node) => toNote(node, scale))];
  const notes = all.slice(0, maxNotes).map((note, index) => ({ id: `note_${index + 1}`, ...note }));
  const left =
    all.length > maxNotes ? [`Only ${maxNotes} notes fit on a canvas: ${all.length - maxNotes} are left out.`] : [];
  return { notes, left };
}

type Placed = Omit<CanvasNote, "id">;

function noteFor({ node, mapping: { mapped } }: Converted, scale: number): Placed[] {
  const [x, y] = [Math.round(node.position[0] * scale), node.position[1]];
  if ("missing" in mapped) {
    const code = codeOf(node);
    const text = [`Missing: ${node.name} (${shortType(node.type)})`, mapped.missing, ...(code ? ["", code] : [])].join(
      "\n",
    );
    return [sized(text, { x, y: y + below })];
  }
  if (mapped.trigger === undefined) return [];
  const note = sized(`What starts it\n${mapped.trigger}`, { x, y });
  return [{ ...note, y: y - note.height - above }];
}

function sized(text: string, place: { x: number; y: number }): Placed {
  const cut = text.slice(0, longestText);
  const lines = cut.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / lettersInLine)), 0);
  return { text: cut, ...place, width: usualWidth, height: Math.min(400, 40 + lines * lineHeight) };
}

function toNote({ parameters, position: [x, y] }: N8nNode, scale: number): Placed {
  const { content, width, height } = parameters;
  const size = (value: unknown, usual: number, least: number): number =>
    Math.round(Math.max(least, Math.min(most, typeof value === "number" ? value : usual)));
  return {
    text: typeof content === "string" ? content.slice(0, longestText) : "",
    x: Math.round(x * scale),
    y,
    width: size(typeof width === "number" ? width * scale : undefined, 240 * scale, 80),
    height: size(height, 160, 40),
  };
}

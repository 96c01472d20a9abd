import { replaceAt } from "../base/replace-at.ts";
import type { Action } from "../contract/action.ts";
import { at } from "../contract/read.ts";

type Item = Record<string, unknown>;

type MediaContext = {
  findBytes: NonNullable<Action["findBytes"]>;
  recordId: string;
  /** Also what is neither a picture nor sound. */
  takesAll?: boolean;
};

type Lighter = {
  items: Item[];
  blocks: string[];
  /** One that is too large for a block. */
  hasLargePicture: boolean;
};

/**
 * Takes bytes out of items, where they would be text that no model can read: pictures and sound become blocks of their own, once, as JSON
 * text. What stays in the item is a handle, which names the record of the call and the place in its outputs.
 */
export function takeOutMedia(items: Item[], { findBytes, recordId, takesAll = false }: MediaContext): Lighter {
  const blocks: Block[] = [];
  const lighter = items.map((item, index) => {
    const handles = findBytes(item).flatMap(({ field, mimeType }) => {
      const base64 = at(item, ...field.split("/"));
      if (typeof base64 !== "string") return [];
      const block = toBlock(base64, mimeType);
      if (block) blocks.push(block);
      const isTaken = block !== undefined || (takesAll && base64.length > smallLength);
      return isTaken ? [[field, `result:${recordId}#/${index}/${field}`] as const] : [];
    });
    return handles.reduce((changed, [field, handle]) => replaceAt(changed, field.split("/"), handle) as Item, item);
  });
  const shown = blocks.filter(({ type, data }) => type !== "image" || data.length <= pictureLimitCharacters);
  return {
    items: lighter,
    blocks: shown.map((block) => JSON.stringify(block)),
    hasLargePicture: shown.length < blocks.length,
  };
}

/** More than a model takes: a client may end a conversation over it. */
const pictureLimitCharacters = 5 * 1024 * 1024;

const smallLength = 200;

type Block = { type: "image" | "audio"; data: string; mimeType: string };

/** A client may end a conversation over a picture that is none, so the bytes themselves decide. Nobody sends sound on to a model by its looks. */
function toBlock(base64: string, mimeType: string | undefined): Block | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const picture = pictures.find(([beginning]) => beginning.test(base64))?.[1];
  if (picture !== undefined) return { type: "image", data: base64, mimeType: picture };
  const sound = /^audio\/[\w.+-]+/i.exec(mimeType ?? "")?.[0];
  return sound === undefined ? undefined : { type: "audio", data: base64, mimeType: sound.toLowerCase() };
}

/** How the four kinds of pictures that models read begin, in base64. */
const pictures: [RegExp, string][] = [
  [/^iVBORw0KGg/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD[ld]h/, "image/gif"],
  [/^UklGR.{6}XRUJQ/, "image/webp"],
];

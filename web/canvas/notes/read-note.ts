/** A piece of a line: words, and where they lead to. */
export type NotePiece = { text: string; href?: string };

const link = /\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?]/g;

/** The heading of a note, and the pieces of what is below it. Links lead to web pages only. */
export function readNote(text: string): { heading: NotePiece[]; rest: NotePiece[] } {
  const end = text.indexOf("\n");
  return end < 0
    ? { heading: readPieces(text), rest: [] }
    : { heading: readPieces(text.slice(0, end)), rest: readPieces(text.slice(end + 1)) };
}

function readPieces(text: string): NotePiece[] {
  const pieces: NotePiece[] = [];
  let from = 0;
  for (const match of text.matchAll(link)) {
    const [all, words = all, href = all] = match;
    pieces.push({ text: text.slice(from, match.index) }, { text: words, href });
    from = match.index + all.length;
  }
  pieces.push({ text: text.slice(from) });
  return pieces.filter((piece) => piece.text !== "");
}

/** How a note is called in a sentence. */
export function titleOfNote(text: string): string {
  const { heading } = readNote(text.trim());
  return heading.map((piece) => piece.text).join("") || "Empty note";
}

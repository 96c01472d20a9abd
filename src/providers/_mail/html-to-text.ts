const unseen = new Set(["head", "script", "style", "title"]);
const lineEnds = /^\/?(?:article|blockquote|br|div|h[1-6]|hr|li|ol|p|section|table|tr|ul)$/;
const entities = new Map(Object.entries({ amp: "&", apos: "'", gt: ">", lt: "<", nbsp: " ", quot: '"' }));

/** What a reader sees of a mail, as plain text. Goes through the HTML step by step, because it is as long as the sender likes. */
export function htmlToText(html: string): string {
  const [before = "", ...pieces] = dropComments(html).split("<");
  let text = before;
  let hiddenUntil = "";
  for (const piece of pieces) {
    const name = /^\/?[a-z][a-z0-9]*/i.exec(piece)?.[0].toLowerCase() ?? "";
    if (name === hiddenUntil) hiddenUntil = "";
    else if (hiddenUntil === "" && unseen.has(name)) hiddenUntil = `/${name}`;
    if (hiddenUntil === "")
      text += (lineEnds.test(name) ? "\n" : "") + piece.slice(piece.indexOf(">") + 1).replaceAll(/\s+/g, " ");
  }
  return tidy(decodeEntities(text));
}

function dropComments(html: string): string {
  const [before = "", ...comments] = html.split("<!--");
  return before + comments.map((comment) => comment.split("-->").slice(1).join("-->")).join("");
}

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities.get(name.toLowerCase()) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
    },
  );
}

const tidy = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line, index, lines) => line !== "" || lines[index - 1] !== "")
    .join("\n")
    .trim();

/** The value of a JSON text that a person wrote, or what is wrong with it, in words and with the place. */
export function readJson(text: string, wanted: "object" | "anything"): { value: unknown } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: describeFault(text, error instanceof Error ? error.message : "") };
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (wanted === "object" && !isObject) return { fault: "This must be an object: names and values between { and }." };
  return { value };
}

/** Browsers name the place in their own ways; one that is named by its position becomes a line. */
function describeFault(text: string, message: string): string {
  if (text.trim() === "") return "This is empty. JSON without content is written {} or null.";
  const place = findPlace(text, message);
  if (place) return `This is not JSON: something is wrong at line ${place.line}, character ${place.column}.`;
  const [, token] = /Unexpected token '(.)'/u.exec(message) ?? [];
  return token ? `This is not JSON: there is a ${token} where it does not belong.` : "This is not JSON.";
}

function findPlace(text: string, message: string): { line: number; column: number } | undefined {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line && column) return { line: Number(line), column: Number(column) };
  const [, named] = /position (\d+)/.exec(message) ?? [];
  const position = named === undefined ? (message.includes("end") ? text.length : undefined) : Number(named);
  if (position === undefined) return undefined;
  const before = text.slice(0, position).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

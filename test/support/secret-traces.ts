/** A text in every form a careless program could write it down in. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const percent = encodeURIComponent(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    ...[0, 1, 2].map((offset) => Buffer.concat([Buffer.alloc(offset, "x"), bytes]).toString("base64")),
    bytes.toString("base64url"),
    encodeURIComponent(bytes.toString("base64")),
    hex,
    hex.toUpperCase(),
    percent,
    encodeURIComponent(percent),
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    hex.toUpperCase().replaceAll(/../g, "%$&"),
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  ];
}

/** The forms without their edges, which in base64 depend on what stands beside them. */
export const tracesIn = (text: string, secrets: string[]): string[] => [
  ...secrets
    .flatMap((secret) => formsOf(secret).map((form) => form.slice(4, -4)))
    .filter((trace) => text.includes(trace)),
  ...(text.match(/CANARY.{0,40}/) ?? []),
];

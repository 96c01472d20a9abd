export const expiryChoices = [
  { id: "30", title: "In 30 days" },
  { id: "90", title: "In 90 days" },
  { id: "365", title: "In a year" },
  { id: "date", title: "On a date" },
  { id: "never", title: "Never" },
] as const;

export type Expiry = { choice: (typeof expiryChoices)[number]["id"]; date: string };

export const usualExpiry: Expiry = { choice: "90", date: "" };

const dayMs = 24 * 60 * 60 * 1000;

/** The moment a key made now expires; a chosen day counts to its end, where the reader is. */
export function expiryToInstant({ choice, date }: Expiry, nowMs = Date.now()): string | undefined {
  if (choice === "never") return undefined;
  if (choice === "date") return new Date(`${date}T23:59:59`).toISOString();
  return new Date(nowMs + Number(choice) * dayMs).toISOString();
}

/** As a date field writes it. */
export function tomorrow(nowMs = Date.now()): string {
  const day = new Date(nowMs + dayMs);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

const soonMs = 7 * dayMs;

export function describeExpiry(expiresAt: string | null, nowMs = Date.now()): "none" | "over" | "soon" | "later" {
  if (expiresAt === null) return "none";
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return "over";
  return leftMs < soonMs ? "soon" : "later";
}

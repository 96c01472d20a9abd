/** Units of time in milliseconds, the smallest first. */
export const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
export type Unit = keyof typeof units;
const names = Object.keys(units) as Unit[];

/** The largest unit in which a duration is a whole number, so that 300000 is 5 minutes and 90000 is 90 seconds. */
export function unitOf(milliseconds: unknown): Unit {
  if (typeof milliseconds !== "number" || milliseconds === 0) return "minutes";
  return names.findLast((unit) => milliseconds % units[unit] === 0) ?? "seconds";
}

/** In a unit, with as many decimals as it needs. */
export function inUnit(milliseconds: number, unit: Unit): number {
  return Number((milliseconds / units[unit]).toFixed(6));
}

export const fromUnit = (count: number, unit: Unit): number => Math.round(count * units[unit]);

/** "5 minutes", "1 hour". */
export function durationInWords(milliseconds: number): string {
  const unit = unitOf(milliseconds);
  const count = inUnit(milliseconds, unit);
  return `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}

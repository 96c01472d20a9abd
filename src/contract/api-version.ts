/** A version of a provider's API that requests name. Each provider that pins one keeps it in its `api-version.ts`. */
export type ApiVersion = {
  version: string;
  /** The first day on which it may no longer work, as the provider announced it; null while none is announced. */
  endsOn: string | null;
};

const warningDays = 90;

/** Those that end within three months of a day, or have ended, in words for who develops this. */
export function findNearEnds(versions: Record<string, ApiVersion>, today: Date): string[] {
  return Object.entries(versions).flatMap(([name, { version, endsOn }]) => {
    if (endsOn === null) return [];
    const leftDays = Math.floor((Date.parse(endsOn) - today.getTime()) / 86_400_000);
    return leftDays > warningDays ? [] : [`${name}: ${version} ends on ${endsOn}; move on to the next one`];
  });
}

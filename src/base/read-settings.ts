export function configurationError(mistakes: string[]): Error {
  const error = new Error(
    `The configuration has ${mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`}:\n  ${mistakes.join("\n  ")}`,
  );
  error.name = "ConfigurationError";
  return error;
}

export type Read = <Value, Fallback extends string | undefined>(
  name: string,
  fallback: Fallback,
  parse: (value: string) => Value,
) => Fallback extends undefined ? Value | undefined : Value;

/** Reads settings one by one and remembers what is wrong with them, so that all mistakes are told at once. */
export function createReader(environment: Record<string, string | undefined>) {
  const mistakes: string[] = [];
  const read = ((name: string, fallback: string | undefined, parse: (value: string) => unknown) => {
    const given = environment[name]?.trim();
    const value = given === undefined || given === "" ? fallback : given;
    if (value === undefined) return undefined;
    try {
      return parse(value);
    } catch (error) {
      mistakes.push(`${name}: ${(error as Error).message}`);
      return value === fallback ? undefined : parseFallback(fallback, parse);
    }
  }) as Read;
  return { read, mistakes };
}

// After a mistake the rest is still read, so the value only has to be of the right shape.
function parseFallback(fallback: string | undefined, parse: (value: string) => unknown) {
  return fallback === undefined ? undefined : parse(fallback);
}

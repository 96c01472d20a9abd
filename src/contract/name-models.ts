import { Refusal } from "../base/refusal.ts";
import type { Choice } from "./credential.ts";

const mostNamed = 20;

type Offer = {
  /** With which code the provider says that it has no such model. */
  unknownCode: string;
  list: () => Promise<Choice[]>;
};

/** Asks a provider for what names a model. Where it does not have that model, the refusal says which ones the account has. */
export async function nameModels<Result>({ unknownCode, list }: Offer, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Refusal) || error.provider?.code !== unknownCode) throw error;
    throw withNames(
      error,
      (await list().catch(() => [])).map(({ value }) => value),
    );
  }
}

/** The same refusal with the first names of a list, and how many more there are. */
export function withNames(refusal: Refusal, names: string[]): Refusal {
  if (names.length === 0) return refusal;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  const { code, message, provider, effect } = refusal;
  return new Refusal(code, `${message} This account has ${names.slice(0, mostNamed).join(", ")}${more}.`, {
    effect,
    ...(provider ? { provider } : {}),
  });
}

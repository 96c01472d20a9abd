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
    if (!(error instanceof Refusal) || !(error.provider?.code === unknownCode || saysModelIsMissing(error)))
      throw error;
    throw withNames(
      error,
      (await list().catch(() => [])).map(({ value }) => value),
    );
  }
}

const missingWords =
  /\bmodels?\b.{0,200}?(?:does not exist|not found|no longer|(?:is|was|has been) (?:deprecated|retired|shut down))/is;

/** Not every answer has a code that says so. What is wrong with a parameter for this model is said the other way round. */
export function saysModelIsMissing({ provider, message }: Refusal): boolean {
  const status = provider?.status ?? 0;
  // What the provider says begins behind who says it, which may be a language model.
  return status >= 400 && status < 500 && missingWords.test(message.slice(message.indexOf(": ") + 1));
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

import type { CredentialData } from "../../../src/contract/credential.ts";
import type { Hints } from "./arbitrary-input.ts";

export type Input = Record<string, unknown>;

export type ToolArguments = {
  /** Only what is required, as the provider wants it. */
  minimal: Input;
  /** Every parameter, as far as they go together. */
  full: Input;
  /** Further sets worth a call of their own. */
  others?: Input[];
  hints?: Hints;
  /** Parameters the tool hands to the provider as they are; only the hints know their form. */
  passedOn?: string[];
  /** Inputs that are right although the published description has no form for them. */
  isUndescribed?: (input: Input) => boolean;
  /** Makes generated inputs keep rules between parameters, at least most of the time. */
  arrange?: (input: Input, choice: number) => Input;
  /** How many of its first requests are repeated although the hints do not promise it. */
  harmless?: number | ((input: Input) => number);
  /** The answer with these many items and a way to further ones, for tools that read several pages. */
  page?: (items: number, next: string | undefined) => unknown;
};

export type ProviderArguments = {
  /** One for each variant of the credential. */
  credentials: CredentialData[];
  tools: Record<string, ToolArguments>;
};

/** Leaves one of the parameters. */
export const onlyOneOf =
  (...names: string[]) =>
  (input: Input, choice: number): Input => {
    const kept = names[choice % names.length];
    return Object.fromEntries(Object.entries(input).filter(([name]) => name === kept || !names.includes(name)));
  };

export const repeat = <Item>(times: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: times }, (_, index) => item(index));

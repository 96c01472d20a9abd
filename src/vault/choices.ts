import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import { createScrub } from "../base/scrub.ts";
import type { Choice } from "../contract/credential.ts";
import { answerWithin, type StartCall } from "./health.ts";
import type { CheckedCredential, OpenedCredential } from "./open-credential.ts";

type Open = (checked: CheckedCredential, call: { signal: AbortSignal }) => Promise<OpenedCredential>;
type Options = { open: Open; startCall: StartCall };

const limitMs = 15_000;
const mostChoices = 500;

/** What an account offers for a field, asked at the provider: its models, for example. */
export function createListChoices({ open, startCall }: Options) {
  return async (checked: CheckedCredential, list: string): Promise<Choice[]> => {
    const load = Object.hasOwn(checked.definition.choices, list) ? checked.definition.choices[list] : undefined;
    if (!load) throw new Refusal("not_found", "Accounts of this type have no such list.");
    let opened: OpenedCredential | undefined;
    const scrub = () => createScrub(opened?.secrets() ?? []);
    try {
      const choices = await runUnderLimit(answerWithin(limitMs), async (signal) => {
        opened = await open(checked, { signal });
        return await load(startCall(opened, signal));
      });
      return scrub().value(choices.slice(0, mostChoices)) as Choice[];
    } catch (error) {
      throw error instanceof Refusal ? error.reworded(scrub().text) : error;
    }
  };
}

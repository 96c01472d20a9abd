/**
 * The models that are asked where nobody names one. Vendors end their models at months' notice, so each can be set by the environment
 * (src/config.ts), and this is the only place with such names.
 */
export const defaultModels = {
  // The one that OpenAI recommends for its small models that end.
  openai: "gpt-6-luna",
  // gpt-image-1 ended on 2026-10-23; gpt-image-1.5 and its kin end on 2026-12-01.
  openaiImage: "gpt-image-2.5-flare",
  // Not before 2027-10-07.
  anthropic: "claude-haiku-5-5",
  // A name that Google moves on to its next model.
  gemini: "gemini-flash-latest",
  elevenlabs: "eleven_multilingual_v2",
};

export type DefaultModels = Record<keyof typeof defaultModels, string>;

/** When somebody last read at the vendors that these models are there and what is announced about their end. */
const modelsCheckedOn = "2026-11-16";

const freshDays = 120;

/** What to say to who develops this when nobody has looked for long; undefined while it is fresh. */
export function warnOfAge(now: Date, checkedOn = modelsCheckedOn): string | undefined {
  const days = Math.floor((now.getTime() - Date.parse(checkedOn)) / 86_400_000);
  if (days <= freshDays) return undefined;
  return `The default models in src/base/default-models.ts were checked ${days} days ago, on ${checkedOn}: read at the vendors which ones end, then change the date.`;
}

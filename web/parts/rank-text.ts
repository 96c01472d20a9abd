/** What can be searched in something, all in lower case. */
type Searched = {
  title: string;
  /** Other words that people look for it with. */
  synonyms: readonly string[];
  /** What else it is called. */
  named?: string;
  /** What is said about it. */
  said?: string;
};

/** From here on a thing was looked for by what it is called. */
export const wellNamed = 3;

/** How well something fits what was typed. 0: it does not. */
export function rankText({ title, synonyms, named = "", said = "" }: Searched, words: readonly string[]): number {
  const called = `${named} ${title} ${synonyms.join(" ")}`;
  if (!words.every((word) => `${called} ${said}`.includes(word))) return 0;
  if (words.length === 0) return 1;
  const text = words.join(" ");
  if (title.startsWith(text) || synonyms.includes(text)) return 5;
  if (words.every((word) => beginsWord(title, word))) return 4;
  return words.every((word) => beginsWord(called, word)) ? wellNamed : 2;
}

export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** "if" is meant by nobody who looks for "modify". */
export const beginsWord = (text: string, word: string): boolean =>
  ` ${text}`.includes(` ${word}`) || ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, " ")}`.includes(` ${word}`);

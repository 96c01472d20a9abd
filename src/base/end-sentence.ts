/** A text that ends like a sentence, so that another can follow. A full stop after an address would become part of it. */
export function endSentence(text: string): string {
  const words = text.trim();
  return words === "" || /[.!?…]$/.test(words) || /\bhttps?:\/\/\S+$/.test(words) ? words : `${words}.`;
}

/** The same JavaScript with escapes for all other characters. Tagged templates that read their raw text would see the escapes. */
export function inAscii(code) {
  return code.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes, character) => {
    // A backslash that stands for the character itself would make a plain backslash of its escape's own.
    const kept = backslashes.length % 2 === 1 ? backslashes.slice(1) : backslashes;
    return `${kept}\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

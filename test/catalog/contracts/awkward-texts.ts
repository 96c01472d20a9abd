/** What people paste and attackers try. */
export const awkwardTexts = [
  "",
  " leading and trailing ",
  "..",
  "../../secret",
  "a/b\\c?d=e&f#g;h",
  "100% %2F %zz + %",
  `"double" 'single' \`back\` <b>tag</b> {{1}} \${x}`,
  "line one\r\nBcc: x@example.com\n\n\ttabbed\n",
  "ünïcödé 漢字 עברית 👩‍👩‍👧🇩🇪",
  "\u0000\u0001\u007f\u2028\ufeff",
  "half of a pair: \ud83d",
  "__proto__",
  "-0012e400",
  "@everyone, <!here>; (a) [b] a@b.c",
  "https://example.com/ä ö?x=[1]#y",
];

export const longText = (maxLength = 20_000): string => "läng 👍 ".repeat(Math.ceil(maxLength / 8)).slice(0, maxLength);

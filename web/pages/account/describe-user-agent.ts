/** "Firefox on Linux" where it is known; otherwise the first word the program says of itself. */
export function describeUserAgent(userAgent: string | null): string {
  if (!userAgent) return "Unknown program";
  const browser = find(browsers, userAgent);
  const system = find(systems, userAgent);
  if (!browser) return userAgent.split(/[\s/]/)[0] || "Unknown program";
  return system ? `${browser} on ${system}` : browser;
}

// The order matters: most browsers also claim to be the ones below them.
const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const systems: [RegExp, string][] = [
  [/Windows/, "Windows"],
  [/Android/, "Android"],
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

function find(names: [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}

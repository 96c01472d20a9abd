/** What the options of a curl command say, in their order. */
export type CurlOptions = {
  urls: string[];
  method?: string;
  headers: [string, string][];
  data: { kind: "data" | "json" | "urlencode"; text: string }[];
  isInQuery: boolean;
  user?: string;
  timeoutSeconds?: number;
  /** What changes nothing here, and is left out. */
  ignored: string[];
};

type Take = (options: CurlOptions, value: string) => void;

const header =
  (name: string): Take =>
  (options, value) => {
    options.headers.push([name, value]);
  };
const data =
  (kind: "data" | "json" | "urlencode"): Take =>
  (options, text) => {
    options.data.push({ kind, text });
  };
const ignore: Take = () => {};

/** Options with a value, by all of their names. */
const valued: Record<string, Take> = Object.fromEntries(
  (
    [
      [["-X", "--request"], (options, value) => Object.assign(options, { method: value.toUpperCase() })],
      [["-H", "--header"], takeHeader],
      [["-d", "--data", "--data-raw", "--data-binary", "--data-ascii"], data("data")],
      [["--data-urlencode"], data("urlencode")],
      [["--json"], data("json")],
      [["-u", "--user"], (options, user) => Object.assign(options, { user })],
      [["--url"], (options, value) => options.urls.push(value)],
      [["-A", "--user-agent"], header("User-Agent")],
      [["-e", "--referer"], header("Referer")],
      [["-b", "--cookie"], header("Cookie")],
      [["-m", "--max-time"], (options, value) => Object.assign(options, { timeoutSeconds: Number(value) })],
      [["-o", "--output", "-w", "--write-out", "--connect-timeout", "--retry"], ignore],
    ] as [string[], Take][]
  ).flatMap(([names, take]) => names.map((name) => [name, take])),
);

/** Options without a value; what they do happens anyway, or is about how curl prints. */
const flags: Record<string, Take> = Object.fromEntries(
  (
    [
      [["-G", "--get"], (options) => Object.assign(options, { isInQuery: true })],
      [["-I", "--head"], (options) => Object.assign(options, { method: options.method ?? "HEAD" })],
      [["--compressed", "-s", "--silent", "-S", "--show-error", "-i", "--include", "-v", "--verbose"], ignore],
      [
        ["-L", "--location", "-f", "--fail", "--fail-with-body", "-g", "--globoff", "-#", "--http1.1", "--http2"],
        ignore,
      ],
      [["--no-progress-meter"], ignore],
    ] as [string[], Take][]
  ).flatMap(([names, take]) => names.map((name) => [name, take])),
);

const refusals: Record<string, string> = {
  "-F": "-F sends a form in several parts, such as a file, which this node cannot.",
  "--form": "--form sends a form in several parts, such as a file, which this node cannot.",
  "-k": "-k turns off the check of the server's certificate. That is always on here: leave -k out.",
  "--insecure": "--insecure turns off the check of the server's certificate. That is always on here: leave it out.",
  "-T": "-T sends a file of your machine, which this node cannot read.",
};

/** The options of a command, without the word curl; a fault for what cannot be taken over. */
export function readOptions(words: string[]): CurlOptions | { fault: string } {
  const options: CurlOptions = { urls: [], headers: [], data: [], isInQuery: false, ignored: [] };
  const left = [...words];
  while (left.length > 0) {
    const word = left.shift() ?? "";
    const fault = readWord(word, left, options);
    if (fault !== undefined) return { fault };
  }
  return options;
}

function readWord(word: string, left: string[], options: CurlOptions): string | undefined {
  if (word.startsWith("-")) return readOption(word, left, options);
  options.urls.push(word);
  return undefined;
}

function readOption(word: string, left: string[], options: CurlOptions): string | undefined {
  if (word.startsWith("--")) return takeOption(word, () => left.shift(), options);
  // Short ones may stand together, -sS, and their value directly behind, -XPOST.
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    const behind = word.slice(at + 1);
    const fault = takeOption(name, () => (behind === "" ? left.shift() : behind), options);
    if (fault !== undefined || valued[name]) return fault;
  }
  return undefined;
}

function takeOption(name: string, value: () => string | undefined, options: CurlOptions): string | undefined {
  if (refusals[name] !== undefined) return refusals[name];
  const flag = flags[name];
  const take = valued[name];
  if (flag === ignore || take === ignore) options.ignored.push(name);
  if (flag) {
    flag(options, "");
    return undefined;
  }
  if (!take) return `${name} cannot be taken over. Remove it if the request works without it.`;
  const given = value();
  if (given === undefined) return `${name} has no value.`;
  take(options, given);
  return undefined;
}

function takeHeader(options: CurlOptions, text: string): void {
  const at = text.indexOf(":");
  const name = (at === -1 ? text.replace(/;$/, "") : text.slice(0, at)).trim();
  const value = at === -1 ? "" : text.slice(at + 1).trim();
  // A header without a value takes away one that curl would send.
  if (at === -1 || value !== "") options.headers.push([name, value]);
}

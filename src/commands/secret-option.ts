import { createReadStream } from "node:fs";
import { z } from "zod";
import { checkOptions, readGiven } from "./command-line.ts";
import { toFlag } from "./option-names.ts";

/** Standard input, or a stand-in for it. */
type Input = AsyncIterable<Buffer | string> & { isTTY?: boolean };

type Options<Name> = {
  secret: Name;
  /** The words of the command may not hold the secret itself. */
  isNeverTyped?: boolean;
  stdin?: Input;
};

const mostBytes = 2 ** 20;

/**
 * Reads options of which one is a secret. `--password -` takes it from standard input and `--password-file PATH` from a file, because the words of a
 * command are seen by everybody on the machine and kept in the history of the shell.
 */
export async function readOptionsWithSecret<Schema extends z.ZodObject>(
  words: string[],
  schema: Schema,
  { secret, isNeverTyped = false, stdin = process.stdin }: Options<keyof Schema["shape"] & string>,
): Promise<z.output<Schema>> {
  const fileName = `${secret}File`;
  const { [fileName]: file, ...given } = readGiven(words, schema.extend({ [fileName]: z.string().optional() }));
  const [flag, fileFlag] = [`--${toFlag(secret)}`, `--${toFlag(fileName)}`];
  if (file !== undefined && given[secret] !== undefined)
    throw new Error(`${flag} and ${fileFlag}: say only one of them`);
  if (isNeverTyped && given[secret] !== undefined && given[secret] !== "-")
    throw new Error(
      `${flag}: must not stand on the command line; say ${flag} - and send it to standard input, or say ${fileFlag} PATH`,
    );
  if (file !== undefined)
    given[secret] = await readFrom(openFile(String(file), fileFlag), { flag: fileFlag, source: "the file" });
  else if (given[secret] === "-")
    given[secret] = await readFrom(openInput(stdin, flag), { flag, source: "standard input" });
  return checkOptions(given, schema);
}

function openInput(stdin: Input, flag: string): Input {
  // Whoever forgot the pipe would wait for nothing, and what is typed into a terminal is shown on it.
  if (stdin.isTTY)
    throw new Error(`${flag}: standard input is a terminal; send the value through a pipe, or say ${flag}-file PATH`);
  return stdin;
}

async function* openFile(path: string, flag: string): AsyncGenerator<Buffer> {
  if (path === "") throw new Error(`${flag}: must not be empty`);
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new Error(`${flag}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"})`);
  }
}

async function readFrom(input: Input, { flag, source }: { flag: string; source: string }): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`${flag}: ${source} is too large, more than ${mostBytes / 2 ** 20} MB`);
    chunks.push(Buffer.from(chunk));
  }
  const text = decode(Buffer.concat(chunks));
  if (text === undefined) throw new Error(`${flag}: ${source} is not UTF-8 text`);
  // Editors and echo end the last line, which is no part of a password.
  const value = text.replace(/\r?\n$/, "");
  if (value === "") throw new Error(`${flag}: ${source} is empty`);
  return value;
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

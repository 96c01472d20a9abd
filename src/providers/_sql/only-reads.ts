import { Refusal } from "../../base/refusal.ts";

type Tools = {
  reader: string;
  writer: string;
  /** Whether the server's refusal is about writing. */
  isAboutWriting: (refusal: Refusal) => boolean;
};

/**
 * Runs a statement of a tool that only reads. The server decides what it lets through; its refusal of a statement that does more speaks of
 * cursors and syntax, and would send people looking for a mistake that is not there. What fails before `onSignedIn` is about the account.
 */
export async function sayOnlyReads<Rows>(
  sql: string,
  { reader, writer, isAboutWriting }: Tools,
  run: (onSignedIn: () => void) => Promise<Rows>,
): Promise<Rows> {
  let isSignedIn = false;
  try {
    return await run(() => {
      isSignedIn = true;
    });
  } catch (error) {
    const isRefused = isSignedIn && error instanceof Refusal && error.code === "provider_error";
    if (!isRefused || !(isAboutWriting(error) || begins(sql, writingWords))) throw error;
    const words = `${reader} only reads, and this statement does more. Use ${writer} for it.`;
    throw new Refusal(error.code, words, { ...(error.provider ? { provider: error.provider } : {}), cause: error });
  }
}

const writingWords = new Set([
  ...[
    "insert",
    "update",
    "delete",
    "replace",
    "merge",
    "upsert",
    "truncate",
    "create",
    "drop",
    "alter",
    "rename",
    "comment",
    "grant",
    "revoke",
  ],
  ...[
    "copy",
    "load",
    "import",
    "call",
    "do",
    "execute",
    "prepare",
    "set",
    "reset",
    "begin",
    "start",
    "commit",
    "rollback",
    "savepoint",
  ],
  ...[
    "lock",
    "unlock",
    "vacuum",
    "reindex",
    "cluster",
    "refresh",
    "optimize",
    "repair",
    "flush",
    "kill",
    "notify",
    "listen",
    "discard",
  ],
]);

function begins(sql: string, words: Set<string>): boolean {
  const statement = sql.replace(/^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, "");
  return words.has(/^[a-z]+/i.exec(statement)?.[0].toLowerCase() ?? "");
}

import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { encodeSegment, path } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { githubCredential } from "./credential.ts";

export const action = defineAction({
  id: "github_get_file",
  title: "Get file",
  description: "Read a file or list a directory of a repository.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: githubCredential,
  input: z.strictObject({
    owner: z
      .string()
      .min(1)
      .describe("User or organization that owns the repository, e.g. octocat.")
      .meta({ choices: "owners" }),
    repo: z
      .string()
      .min(1)
      .describe("Name of the repository without its owner, e.g. hello-world.")
      .meta({ choices: "repositories", choicesNeed: ["owner"] }),
    path: z.string().describe("Path in the repository, e.g. docs/README.md; empty for its top folder."),
    ref: z
      .string()
      .optional()
      .describe("Branch, tag or commit.")
      .meta({ choices: "branches", choicesNeed: ["owner", "repo"] }),
  }),
  output: z.object({
    path: z.string().optional().describe("Path in the repository."),
    type: z.string().optional().describe("One of file, dir, symlink and submodule."),
    sha: z.string().optional().describe("Git id of the content."),
    size: z.int().optional().describe("Size in bytes."),
    content: z.string().optional().describe("Decoded text, for files."),
    encoding: z.string().optional().describe("utf-8, or base64 when the file is no text."),
    note: z.string().optional().describe("Why a file has no content."),
    url: z.string().optional().describe("Web address."),
  }),
  findBytes: ({ encoding, path: place }) =>
    encoding === "base64" ? [{ field: "content", name: place?.split("/").at(-1) }] : [],
  async run({ input, http }) {
    const segments = input.path.split("/").filter((segment) => segment !== "");
    const place = path`/repos/${input.owner}/${input.repo}/contents/` + segments.map(encodeSegment).join("/");
    const answer = await http.json({ path: place, query: { ref: input.ref } });
    return [answer].flat().map((entry) => ({
      path: textAt(entry, "path"),
      type: textAt(entry, "type"),
      sha: textAt(entry, "sha"),
      size: integerAt(entry, "size"),
      ...decodeContent(entry),
      url: textAt(entry, "html_url"),
    }));
  },
});

/** Files over 1 MB come with the encoding "none" and without content. */
function decodeContent(entry: unknown): { content?: string; encoding?: string; note?: string } {
  if (textAt(entry, "encoding") === "none") return { note: "GitHub sends no content of files larger than 1 MB." };
  const content = textAt(entry, "content");
  if (content === undefined || textAt(entry, "encoding") !== "base64") return {};
  const bytes = Buffer.from(content, "base64");
  return isUtf8(bytes)
    ? { content: bytes.toString("utf8"), encoding: "utf-8" }
    : { content: bytes.toString("base64"), encoding: "base64" };
}

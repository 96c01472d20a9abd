import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import type { Action } from "../../contract/action.ts";
import { googleDriveCredential } from "./credential.ts";
import { action as downloadFile } from "./download_file.ts";
import { action as searchFiles } from "./search_files.ts";
import { action as uploadFile } from "./upload_file.ts";

const credential = { accessToken: "ya29.secret" };
const headers = { authorization: "Bearer ya29.secret" };
const failure = {
  answer: {
    status: 404,
    json: { error: { code: 404, message: "File not found: x.", errors: [{ reason: "notFound", location: "fileId" }] } },
  },
  says: /Google Drive refused the call \(404 notFound\): File not found: x\./,
};

const list =
  "corpora=allDrives&supportsAllDrives=true&includeItemsFromAllDrives=true&fields=nextPageToken,files(id,name,mimeType,size,modifiedTime,webViewLink)";
const file = (id: string) => ({ id, name: `${id}.txt`, mimeType: "text/plain" });

describeHttpTool(searchFiles, {
  credential,
  failure,
  cases: [
    {
      name: "lists files of all drives",
      input: {},
      exchanges: [
        {
          request: { method: "GET", path: `/drive/v3/files?q=trashed = false&${list}&pageSize=20`, headers },
          answer: {
            json: {
              files: [
                {
                  ...file("a"),
                  size: "12",
                  modifiedTime: "2026-01-01T00:00:00Z",
                  webViewLink: "https://drive.google.com/a",
                },
              ],
            },
          },
        },
      ],
      items: [{ ...file("a"), size: 12, modifiedTime: "2026-01-01T00:00:00Z", url: "https://drive.google.com/a" }],
    },
    {
      name: "follows pages until the limit, only in a folder",
      input: { query: "name contains 'ü' or starred = true", folderId: "it's\\x", limit: 3 },
      exchanges: [
        {
          request: {
            method: "GET",
            path: `/drive/v3/files?q=(name contains 'ü' or starred = true) and 'it\\'s\\\\x' in parents and trashed = false&${list}&pageSize=3`,
          },
          answer: { json: { files: [file("a"), file("b")], nextPageToken: "p/2" } },
        },
        {
          request: {
            method: "GET",
            path: `/drive/v3/files?q=(name contains 'ü' or starred = true) and 'it\\'s\\\\x' in parents and trashed = false&${list}&pageSize=1&pageToken=p/2`,
          },
          answer: { json: { files: [file("c"), file("d")], nextPageToken: "p/3" } },
        },
      ],
      items: [file("a"), file("b"), file("c")],
    },
    {
      name: "ends with the last page of a folder",
      input: { folderId: "f1", limit: 100 },
      exchanges: [
        {
          request: {
            method: "GET",
            path: `/drive/v3/files?q='f1' in parents and trashed = false&${list}&pageSize=100`,
          },
          answer: { json: { files: [file("a")], nextPageToken: "p2" } },
        },
        {
          request: {
            method: "GET",
            path: `/drive/v3/files?q='f1' in parents and trashed = false&${list}&pageSize=99&pageToken=p2`,
          },
          answer: { json: { files: [file("b")] } },
        },
      ],
      items: [file("a"), file("b")],
    },
    {
      name: "finds what is in the trash for those who ask for it, in one shared drive",
      input: { query: "trashed = true", driveId: "0ABC" },
      exchanges: [
        {
          request: {
            method: "GET",
            path: `/drive/v3/files?q=trashed = true&${list.replace("allDrives", "drive&driveId=0ABC")}&pageSize=20`,
          },
          answer: { json: { files: [] } },
        },
      ],
      items: [],
    },
    {
      name: "leaves a query as it is, and what is in the trash out",
      input: { query: "name = 'a trashed \"b\" #?&'" },
      exchanges: [
        {
          request: {
            method: "GET",
            path: `/drive/v3/files?q=(name = 'a trashed "b" #?&') and trashed = false&${list}&pageSize=20`,
          },
          answer: { json: { files: [] } },
        },
      ],
      items: [],
    },
  ],
});

const uploadPath =
  "/upload/drive/v3/files?uploadType=multipart&supportsAllDrives=true&fields=id,name,mimeType,webViewLink";
const parts = (metadata: Record<string, unknown>, mimeType: string, content: string) => {
  const text = (value: string) => value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const json = text(JSON.stringify(metadata));
  return new RegExp(
    `^--([\\w-]+)\\r\\nContent-Type: application/json; charset=UTF-8\\r\\n\\r\\n${json}\\r\\n--\\1\\r\\nContent-Type: ${text(mimeType)}\\r\\n\\r\\n${text(content)}\\r\\n--\\1--\\r\\n$`,
  );
};

describeHttpTool(uploadFile, {
  credential,
  failure,
  cases: [
    {
      name: "uploads text",
      input: { name: "a.txt", content: "Hällo\n" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: uploadPath,
            headers: { ...headers, "content-type": expect.stringMatching(/^multipart\/related; boundary=[\w-]{36}$/) },
            body: expect.stringMatching(parts({ name: "a.txt", mimeType: "text/plain" }, "text/plain", "Hällo\n")),
          },
          answer: {
            json: { id: "f1", name: "a.txt", mimeType: "text/plain", webViewLink: "https://drive.google.com/f1" },
          },
        },
      ],
      items: [{ id: "f1", name: "a.txt", mimeType: "text/plain", url: "https://drive.google.com/f1" }],
    },
    {
      name: "uploads bytes into a folder",
      input: { name: 'ü/"x"\n?#.svg', contentBase64: "PHN2\nZy8-", mimeType: "image/svg+xml", folderId: "d1" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: uploadPath,
            body: expect.stringMatching(
              parts({ name: 'ü/"x"\n?#.svg', mimeType: "image/svg+xml", parents: ["d1"] }, "image/svg+xml", "<svg/>"),
            ),
          },
          answer: { json: { id: "f2" } },
        },
      ],
      items: [{ id: "f2" }],
    },
    {
      name: "uploads an empty file",
      input: { name: "empty", content: "" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: uploadPath,
            body: expect.stringMatching(parts({ name: "empty", mimeType: "text/plain" }, "text/plain", "")),
          },
          answer: { json: { id: "f3" } },
        },
      ],
      items: [{ id: "f3" }],
    },
  ],
});

const metadataQuery = "fields=id,name,mimeType,size,shortcutDetails&supportsAllDrives=true";

describeHttpTool(downloadFile, {
  credential,
  failure,
  cases: [
    {
      name: "downloads a text file",
      input: { fileId: "f1" },
      exchanges: [
        {
          request: { method: "GET", path: `/drive/v3/files/f1?${metadataQuery}`, headers },
          answer: { json: { id: "f1", name: "a.txt", mimeType: "text/plain", size: "7" } },
        },
        {
          request: { method: "GET", path: "/drive/v3/files/f1?alt=media&supportsAllDrives=true", headers },
          answer: { body: "Hällo\n" },
        },
      ],
      items: [{ id: "f1", name: "a.txt", mimeType: "text/plain", content: "Hällo\n", bytes: 7 }],
    },
    {
      name: "exports a Google document as text, without the mark Google puts first",
      input: { fileId: "a/../b?#" },
      exchanges: [
        {
          request: { method: "GET", path: `/drive/v3/files/a/../b?#?${metadataQuery}` },
          answer: { json: { id: "d1", name: "Plan", mimeType: "application/vnd.google-apps.document" } },
        },
        {
          request: { method: "GET", path: "/drive/v3/files/a/../b?#/export?mimeType=text/plain" },
          answer: { body: "\ufeffPlan" },
        },
      ],
      items: [{ id: "d1", name: "Plan", mimeType: "text/plain", content: "Plan", bytes: 7 }],
    },
    {
      name: "exports a sheet as CSV, also through a shortcut",
      input: { fileId: "link" },
      exchanges: [
        {
          request: { method: "GET", path: `/drive/v3/files/link?${metadataQuery}` },
          answer: {
            json: { id: "link", mimeType: "application/vnd.google-apps.shortcut", shortcutDetails: { targetId: "s1" } },
          },
        },
        {
          request: { method: "GET", path: `/drive/v3/files/s1?${metadataQuery}` },
          answer: { json: { id: "s1", name: "Ages", mimeType: "application/vnd.google-apps.spreadsheet" } },
        },
        {
          request: { method: "GET", path: "/drive/v3/files/s1/export?mimeType=text/csv" },
          answer: { body: "name,age\n" },
        },
      ],
      items: [{ id: "s1", name: "Ages", mimeType: "text/csv", content: "name,age\n", bytes: 9 }],
    },
    {
      name: "exports as another type and returns bytes as base64",
      input: { fileId: "d1", exportMimeType: "application/pdf" },
      exchanges: [
        {
          request: { method: "GET", path: `/drive/v3/files/d1?${metadataQuery}` },
          answer: { json: { mimeType: "application/vnd.google-apps.spreadsheet" } },
        },
        {
          request: { method: "GET", path: "/drive/v3/files/d1/export?mimeType=application/pdf" },
          answer: { body: Buffer.from([0x25, 0xff, 0x00]) },
        },
      ],
      items: [{ id: "d1", mimeType: "application/pdf", contentBase64: "Jf8A", bytes: 3 }],
    },
    {
      name: "does not take zero bytes for text",
      input: { fileId: "z" },
      exchanges: [
        {
          request: { method: "GET", path: `/drive/v3/files/z?${metadataQuery}` },
          answer: { json: { id: "z", mimeType: "application/octet-stream", size: "2" } },
        },
        {
          request: { method: "GET", path: "/drive/v3/files/z?alt=media&supportsAllDrives=true" },
          answer: { body: Buffer.from([0, 0]) },
        },
      ],
      items: [{ id: "z", mimeType: "application/octet-stream", contentBase64: "AAA=", bytes: 2 }],
    },
  ],
});

describe("Google Drive", () => {
  let provider: FakeProvider;
  const at = () => ({ ...credential, baseUrl: provider.url });
  const upload = (input: Record<string, unknown>) =>
    callTool(uploadFile, { input: { name: "a", ...input }, credential: at() });

  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  it("refuses an upload without content, with two contents, too large or not in base64", async () => {
    provider.script([]);
    const refused = (...pointers: string[]) => ({
      code: "validation_failed",
      errors: pointers.map((pointer) => expect.objectContaining({ pointer })),
    });
    await expect(upload({})).rejects.toMatchObject(refused("/content", "/contentBase64"));
    await expect(upload({ content: "", contentBase64: "" })).rejects.toMatchObject(
      refused("/content", "/contentBase64"),
    );
    await expect(upload({ content: "ü".repeat(2_621_441) })).rejects.toMatchObject(refused("/content"));
    await expect(upload({ contentBase64: Buffer.alloc(5_242_881).toString("base64") })).rejects.toMatchObject(
      refused("/contentBase64"),
    );
    await expect(upload({ contentBase64: "no base64!" })).rejects.toMatchObject(refused("/contentBase64"));
    await expect(upload({ content: "x", mimeType: "text/plain\r\nX-Evil: 1" })).rejects.toMatchObject(
      refused("/mimeType"),
    );
    expect(provider.requests()).toHaveLength(0);
  });

  it("uploads up to 5 MB", async () => {
    provider.script([{ json: { id: "big" } }]);
    expect(await upload({ contentBase64: Buffer.alloc(5_242_880, 7).toString("base64") })).toEqual([{ id: "big" }]);
    expect(provider.requests()[0]?.body.length).toBeGreaterThan(5_242_880);
  });

  it("refuses to download more than 10 MB, whether or not Google says the size first", async () => {
    const download = () => callTool(downloadFile, { input: { fileId: "f" }, credential: at() });
    provider.script([{ json: { mimeType: "video/mp4", size: "10485761" } }]);
    await expect(download()).rejects.toMatchObject({
      code: "validation_failed",
      message: "The file is larger than 10 MB, the most that can be downloaded.",
    });
    expect(provider.requests()).toHaveLength(1);
    provider.script([
      { json: { mimeType: "application/vnd.google-apps.document" } },
      { body: Buffer.alloc(10_485_761, "x") },
    ]);
    await expect(download()).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("reports in the provider's words when a file cannot be exported", async () => {
    const answer = {
      status: 403,
      json: {
        error: {
          code: 403,
          message: "Export only supports Docs Editors files.",
          errors: [{ reason: "fileNotExportable" }],
        },
      },
    };
    provider.script([{ json: { mimeType: "application/vnd.google-apps.unknown" } }, answer]);
    await expect(callTool(downloadFile, { input: { fileId: "f" }, credential: at() })).rejects.toThrow(
      "403 fileNotExportable",
    );
    expect(provider.requests()).toHaveLength(2);
  });

  it("checks the credential by asking who it is", async () => {
    const run: Action["run"] = async (call) => {
      await googleDriveCredential.check?.(call);
      return [];
    };
    const check = { ...searchFiles, run };
    provider.script([{ json: { user: {} } }]);
    expect(await callTool(check, { input: {}, credential: at() })).toEqual([]);
    expect(provider.requests()).toMatchObject([{ method: "GET", path: "/drive/v3/about?fields=user", headers }]);
    provider.script([failure.answer]);
    await expect(callTool(check, { input: {}, credential: at() })).rejects.toThrow("404 notFound");
  });
});

it("says that a folder has no content, instead of asking Google for it", async () => {
  const provider = await startFakeProvider();
  try {
    provider.script([{ json: { id: "f", mimeType: "application/vnd.google-apps.folder" } }]);
    const call = callTool(downloadFile, {
      input: { fileId: "f" },
      credential: { ...credential, baseUrl: provider.url },
    });
    await expect(call).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/fileId" }] });
    expect(provider.requests()).toHaveLength(1);
  } finally {
    await provider.stop();
  }
});

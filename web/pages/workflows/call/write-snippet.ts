import { type Call, keyVariable } from "./call.ts";

export const languages = [
  { id: "curl", title: "curl" },
  { id: "javascript", title: "JavaScript" },
  { id: "python", title: "Python" },
] as const;

export type Language = (typeof languages)[number]["id"];

/** The call as a program that runs as it stands, once the key is in the environment. */
export const writeSnippet = (language: Language, call: Call): string => writers[language](call);

const writers: Record<Language, (call: Call) => string> = {
  curl: ({ url, body, headers }) =>
    [
      `curl -sS -X POST ${shellText(url)}`,
      `  -H "X-API-Key: $${keyVariable}"`,
      `  -H 'Content-Type: application/json'`,
      ...Object.entries(headers).map(([name, value]) => `  -H ${shellText(`${name}: ${value}`)}`),
      `  --data-raw ${shellText(JSON.stringify(body))}`,
    ].join(" \\\n"),

  javascript: ({ url, body, headers }) => {
    const lines = [
      `"X-API-Key": process.env.${keyVariable}`,
      `"Content-Type": "application/json"`,
      ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ];
    return `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
${lines.map((line) => `    ${line},`).join("\n")}
  },
  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), "  ")}),
});
console.log(response.status, await response.json());`;
  },

  python: ({ url, body, headers }) => {
    const lines = [
      `"X-API-Key": os.environ["${keyVariable}"]`,
      `"Content-Type": "application/json"`,
      ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ];
    return `import json
import os
import urllib.request

body = ${pythonValue(body)}
request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="POST",
    headers={
${lines.map((line) => `        ${line},`).join("\n")}
    },
    data=json.dumps(body).encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`;
  },
};

/** In single quotes a shell takes everything as it stands but the quote itself. */
const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const indent = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);

/** Texts of JSON mean the same in Python; its constants have other names. */
function pythonValue(value: unknown, before = ""): string {
  const within = `${before}    `;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((entry) => pythonValue(entry, within))
    : Object.entries(value)
        .filter(([, entry]) => entry !== undefined)
        .map(([name, entry]) => `${JSON.stringify(name)}: ${pythonValue(entry, within)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => `${within}${line},\n`).join("")}${before}${close}`;
}

import { STATUS_CODES } from "node:http";
import { expect } from "vitest";
import { refusalStatus } from "../../src/base/refusal.ts";

type Answer = { status: number; headers: Headers; text: string };

/** Checks the one error form of the product and returns it. Nothing of the inside may show in it. */
export function expectProblem({ status, headers, text }: Answer, expected: { status?: number; code?: string } = {}) {
  expect(headers.get("content-type"), text).toBe("application/problem+json; charset=utf-8");
  const problem = JSON.parse(text) as Record<string, unknown> & { errors?: { pointer: string; detail: string }[] };
  expect(problem).toMatchObject({ status, ...expected });
  const { code, type, title, detail, instance, requestId } = problem;
  expect(refusalStatus).toHaveProperty([String(code)], status);
  expect([type, title]).toEqual([`urn:switchyard:problem:${String(code)}`, STATUS_CODES[status]]);
  expect([typeof detail, typeof instance]).toEqual(["string", "string"]);
  expect(requestId).toBe(headers.get("x-request-id"));
  const said = JSON.stringify([detail, problem.errors]);
  expect(said).not.toMatch(
    /node_modules|\.ts\b|\bat \/|zod|kysely|fastify|FST_ERR|better.?auth|SELECT |INSERT |UPDATE |Invalid input|undefined|NaN|\[object/i,
  );
  return problem;
}

/** Takes apart what a raw socket received; only the first answer. */
export function readRawAnswer(raw: string): Answer {
  const end = raw.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = raw.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map(
      (line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as [string, string],
    ),
  );
  const length = Number(headers.get("content-length") ?? 0);
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    text: Buffer.from(raw.slice(end + 4), "latin1")
      .subarray(0, length)
      .toString(),
  };
}

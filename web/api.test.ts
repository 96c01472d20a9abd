import { describe, expect, it } from "vitest";
import { createApi } from "./api.ts";
import { isPassing } from "./problem.ts";

describe("the API client", () => {
  it("reads a problem document with its field faults", async () => {
    const body = {
      code: "validation_failed",
      title: "Bad Request",
      detail: "Two fields are wrong.",
      requestId: "r1",
      errors: [{ pointer: "/email", detail: "Not an email." }, 7],
    };
    await expect(answering(400, body).signIn(anyone)).rejects.toMatchObject({
      status: 400,
      code: "validation_failed",
      message: "Two fields are wrong.",
      requestId: "r1",
      errors: [{ pointer: "/email", detail: "Not an email." }],
    });
  });

  it("calls the error page of a proxy unreadable and worth another try", async () => {
    const problem = await answering(502, "<html>Bad gateway</html>")
      .me()
      .catch((error: unknown) => error);
    expect(problem).toMatchObject({ status: 502, code: "unreadable", errors: [] });
    expect(isPassing(problem)).toBe(true);
  });

  it("calls a page in place of the API's answer unreadable", async () => {
    await expect(answering(200, "<html>Please sign in to the network</html>").me()).rejects.toMatchObject({
      code: "unreadable",
    });
  });

  it("says that the server cannot be reached when there is no answer", async () => {
    const api = createApi(() => Promise.reject(new TypeError("fetch failed")));
    await expect(api.me()).rejects.toMatchObject({ status: 0, code: "unreachable" });
  });

  it("takes an empty answer as done", async () => {
    await expect(answering(204, "").signOut()).resolves.toBeUndefined();
  });

  it("escapes what it puts into a path", async () => {
    const paths: string[] = [];
    const api = createApi((path) => {
      paths.push(path);
      return Promise.resolve(new Response("{}"));
    });
    await api.invitation("../me", "a&b=c#d");
    expect(paths).toEqual(["/api/invitations/..%2Fme?token=a%26b%3Dc%23d"]);
  });
});

const anyone = { email: "someone@example.com", password: "wrong" };

function answering(status: number, body: string | object) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return createApi(() => Promise.resolve(new Response(status === 204 ? null : text, { status })));
}

/** What a page of the web UI would send: cookies that stay, JSON, and the Origin header. */
export function createBrowser(baseUrl: string) {
  const cookies = new Map<string, string>();

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const cookie: Record<string, string> =
      cookies.size === 0 ? {} : { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const response = await fetch(baseUrl + path, {
      method,
      redirect: "manual",
      headers: { origin: baseUrl, ...cookie, ...type, ...headers },
      ...(body === undefined ? {} : { body: text }),
    });
    for (const line of response.headers.getSetCookie()) keepCookie(line);
    return await readAnswer(response);
  }

  function keepCookie(line: string): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const name = pair.slice(0, pair.indexOf("="));
    if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) cookies.delete(name);
    else cookies.set(name, pair.slice(name.length + 1));
  }

  return {
    send,
    get: (path: string) => send("GET", path),
    post: (path: string, body?: unknown) => send("POST", path, body),
    patch: (path: string, body?: unknown) => send("PATCH", path, body),
    delete: (path: string) => send("DELETE", path),
    cookies,
  };
}

async function readAnswer(response: Response) {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = /[/+]json\b/.test(headers.get("content-type") ?? "");
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}

export type Browser = ReturnType<typeof createBrowser>;

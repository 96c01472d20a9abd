type Cookie = { name: string; value: string; path: string; attributes: string[] };

export type OAuthBrowser = ReturnType<typeof createOAuthBrowser>;

/** A browser on its way through the gateway: follows nothing by itself and keeps each cookie for its path. */
export function createOAuthBrowser() {
  let cookies: Cookie[] = [];

  function keep(line: string): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice("path=".length) ?? "/";
    cookies = cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (!attributes.some((attribute) => /^expires=Thu, 01 Jan 1970/i.test(attribute)))
      cookies.push({ name, value, path, attributes });
  }

  return {
    cookies: () => cookies,
    async get(url: string, headers: Record<string, string> = {}) {
      const { pathname } = new URL(url);
      const sent = cookies.filter(
        ({ path }) => pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`),
      );
      const cookie: Record<string, string> =
        sent.length === 0 ? {} : { cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; ") };
      const response = await fetch(url, { redirect: "manual", headers: { ...cookie, ...headers } });
      for (const line of response.headers.getSetCookie()) keep(line);
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        location: response.headers.get("location") ?? "",
        text,
      };
    },
  };
}

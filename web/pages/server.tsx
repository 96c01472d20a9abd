import { Page } from "../parts/page.tsx";

export function ServerPage() {
  return <Page title="MCP server">Nothing yet</Page>;
}

import { Page } from "../parts/page.tsx";

export function ServersPage() {
  return <Page title="MCP servers">Nothing yet</Page>;
}

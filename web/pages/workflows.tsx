import { Page } from "../parts/page.tsx";

export function WorkflowsPage() {
  return <Page title="Workflows">Nothing yet</Page>;
}

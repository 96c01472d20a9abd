import { Page } from "../parts/page.tsx";

export function WorkflowPage() {
  return <Page title="Workflow">Nothing yet</Page>;
}

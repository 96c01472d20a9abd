import { Page } from "../parts/page.tsx";

export function TriggersPage() {
  return <Page title="Triggers">Nothing yet</Page>;
}

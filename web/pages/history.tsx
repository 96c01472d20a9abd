import { Page } from "../parts/page.tsx";

export function HistoryPage() {
  return <Page title="History">Nothing yet</Page>;
}

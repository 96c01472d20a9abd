import { Page } from "../parts/page.tsx";

export function OrganizationPage() {
  return <Page title="Usage and settings">Nothing yet</Page>;
}

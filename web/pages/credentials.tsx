import { Page } from "../parts/page.tsx";

export function CredentialsPage() {
  return <Page title="Credentials">Nothing yet</Page>;
}

import { afterAll, beforeAll, beforeEach } from "vitest";
import { type CountingProvider, startCountingProvider } from "../providers/counting-provider.ts";
import { useGithub } from "./github-nodes.ts";
import { startWorkflowApp, type WorkflowApp } from "./workflow-app.ts";

type Options = { environment?: Record<string, string> /** How long each request of a node takes. */; callMs?: number };

/** For a whole file: the application, and a provider that counts what the nodes of its runs ask for and forgets it before each test. */
export function setUpRuns(
  use: (made: { ann: WorkflowApp; github: CountingProvider }) => void,
  { environment, callMs = 0 }: Options = {},
) {
  let ann: WorkflowApp | undefined;
  let github: CountingProvider | undefined;

  beforeAll(async () => {
    github = await startCountingProvider();
    ann = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", ...environment } });
    await useGithub(ann, github.url);
    use({ ann, github });
  });
  afterAll(async () => {
    await ann?.stop();
    await github?.stop();
  });
  beforeEach(() => {
    github?.forget();
    github?.takeTime(callMs);
  });
}

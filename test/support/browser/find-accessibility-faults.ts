import axe from "axe-core";
import type { Page } from "playwright-core";

type Finding = { id: string; impact?: string | null; nodes: { html: string; failureSummary?: string }[] };

/** What axe finds serious or critical on the page as it is shown, one line for each place. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Finding[] }>("axe.run()");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) => `${id}: ${html} ${failureSummary.replaceAll(/\s+/g, " ")}`),
    );
}

import { expect, it } from "vitest";
import { createBatch } from "../base/batch.ts";
import { isPageWork, runAsPage, runForAll } from "./page-work.ts";

it("is for pages alone: what a page begins for others as well is none", async () => {
  const seen: boolean[] = [];
  const flush = async (items: number[]): Promise<number[]> => {
    seen.push(isPageWork());
    await Promise.resolve();
    seen.push(isPageWork());
    return items;
  };
  const batch = createBatch({ flush, maxItems: 10, isFatal: () => false });
  await runAsPage(() => batch.add(1));
  await runAsPage(async () => {
    await Promise.resolve();
    seen.push(!isPageWork(), runForAll(isPageWork));
  });
  expect(seen).toEqual([false, false, false, false]);
});

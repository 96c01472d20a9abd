import type { Page } from "playwright-core";
import { expect, vi } from "vitest";
import type { Canvas, Workflow } from "../../../src/workflows/wire.ts";
import type { WorkflowApp } from "../runs/workflow-app.ts";

/** Short ways to what a canvas shows and to what is stored of it. */
export function createCanvasPage({ page, flows }: { page: () => Page; flows: () => WorkflowApp }) {
  const canvas = () => page().getByRole("application", { name: "Canvas" });
  const get = async (path: string) => (await flows().owner.browser.get(`${flows().path}/workflows/${path}`)).body;
  const read = async (workflowId: string) => (await get(workflowId)) as Workflow & { canvas: Canvas };
  const edited = async (workflowId: string): Promise<Canvas> => {
    const { draft, canvas: published } = await read(workflowId);
    return draft ? (await get(`${workflowId}/draft`)).canvas : published;
  };
  const sketch = (saved: Canvas) => [idsOf(saved), linesOf(saved)];

  return {
    canvas,
    read,
    /** What is saved of the canvas: its draft, or what is published where there is none. */
    edited,
    box: (name: string | RegExp) => canvas().getByRole("group", { name }),
    button: (name: string) => page().getByRole("button", { name, exact: true }),
    saysSaved: () => page().getByText("Saved", { exact: true }).waitFor(),

    /** The ids of the saved nodes and the saved lines between them, of the canvas that is edited. */
    stored: async (workflowId: string) => sketch(await edited(workflowId)),
    /** The same of what runs. */
    published: async (workflowId: string) => sketch((await read(workflowId)).canvas),

    /** The view stands where it will stay: panels that open and close give the canvas another size, and that moves the view once more. */
    isStill: async () => {
      if ((await page().locator(".react-flow__node").count()) > 0)
        await page().locator('.react-flow__viewport:not([style*="translate(0px, 0px) scale(1)"])').waitFor();
      await page().evaluate(staysForTenFrames);
    },
  };
}

const staysForTenFrames = `new Promise((resolve) => {
  let [before, frames] = ["", 0];
  const look = () => {
    const { width, height, x, y } = document.querySelector(".react-flow").getBoundingClientRect();
    const now = [width, height, x, y, document.querySelector(".react-flow__viewport").style.transform].join();
    frames = now === before ? frames + 1 : 0;
    before = now;
    if (frames === 10) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

export const idsOf = ({ nodes }: Canvas) => nodes.map(({ id }) => id).sort();
export const linesOf = ({ edges }: Canvas) =>
  edges
    .map(({ source, sourceHandle, target }) => `${source}${sourceHandle ? `.${sourceHandle}` : ""}>${target}`)
    .sort();

/** Long enough for a canvas to be saved, which it is a second after the last change. */
export const until = (wanted: unknown, look: () => Promise<unknown>) =>
  vi.waitFor(async () => expect(await look()).toEqual(wanted), { timeout: 10_000, interval: 100 });

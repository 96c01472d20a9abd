import { useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useRef, useState } from "react";
import type { Place } from "../edit/places.ts";
import type { MenuTarget, OpenMenu } from "../flow/flow-actions.ts";
import type { Box, Line } from "../flow/flow-data.ts";
import { boxId } from "../flow/node-box.tsx";
import type { useGo } from "../flow/use-go.ts";

export type ShownMenu = { target: MenuTarget; at: Place; isSeveral: boolean };

type Options = { going: Pick<ReturnType<typeof useGo>, "select">; frame: RefObject<HTMLDivElement | null> };

/** Which menu is open. What it is about is selected: the entries do what the keys would do. */
export function useCanvasMenu({ going: { select }, frame }: Options) {
  const flow = useReactFlow<Box, Line>();
  const [shown, setShown] = useState<ShownMenu>();

  const current = useRef(select);
  current.current = select;
  // The same all the time: every node of the canvas knows it.
  const open: OpenMenu = useCallback(
    (target, at) => {
      const selected = flow.getNodes().filter((box) => box.selected);
      const isAmong = target.kind === "box" && selected.some(({ id }) => id === target.boxId);
      if (target.kind === "box" && !isAmong) current.current([target.boxId], []);
      if (target.kind === "edge") current.current([], [target.edgeId]);
      if (target.kind === "canvas") current.current([], []);
      setShown({ target, at, isSeveral: isAmong && selected.length > 1 });
    },
    [flow],
  );

  /** By a key: at what is selected, or in the middle. */
  function openAtSelection(): void {
    const box = flow.getNodes().find(({ selected }) => selected);
    const line = flow.getEdges().find(({ selected }) => selected);
    if (box) open({ kind: "box", boxId: box.id }, below(document.getElementById(boxId(box.id))));
    else if (line) open({ kind: "edge", edgeId: line.id }, middleOf(frame.current?.querySelector(".selected path")));
    else open({ kind: "canvas" }, middleOf(frame.current));
  }

  const close = useCallback(() => setShown(undefined), []);
  return { shown, open, openAtSelection, close };
}

function below(element: HTMLElement | null): Place {
  const { left = 0, bottom = 0 } = element?.getBoundingClientRect() ?? {};
  return { x: left, y: bottom };
}

function middleOf(element: Element | null | undefined): Place {
  const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
  return { x: left + width / 2, y: top + height / 2 };
}

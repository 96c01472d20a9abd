import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** Three panes need as much to be of use beside each other. */
const roomyWidth = 736;

/** Whether an element is wide enough for all panes at once; undefined until it was measured, before the first picture. */
export function useIsRoomy(): [boolean | undefined, RefObject<HTMLElement | null>] {
  const frame = useRef<HTMLElement>(null);
  const [isRoomy, setRoomy] = useState<boolean>();
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = () => setRoomy(element.offsetWidth >= roomyWidth);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [isRoomy, frame];
}

import { useEffect, useEffectEvent } from "react";
import { isInField } from "../../parts/is-in-field.ts";
import { keyOf } from "../../parts/key-of.ts";

/** "/" opens the list of nodes wherever one is in the editor, but where it is typed or a dialog or menu is open. */
export function usePaletteKey(open: (() => void) | undefined): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!open || keyOf(event) !== "/" || event.defaultPrevented || isInField(event.target)) return;
    if (document.querySelector("[role=dialog], [role=menu]")) return;
    event.preventDefault();
    open();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

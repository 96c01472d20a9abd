import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { buttonLook } from "./button.tsx";

type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  wide?: boolean;
};

/** Escape, the cross and a press beside it close the dialog; focus stays inside and returns to where it came from. */
export function Dialog({ open, onOpenChange, title, description, children, wide = false }: DialogProps) {
  const giveFocusBack = useReturnFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        {/* Radix' own Overlay writes a style element, which the content security policy refuses; styles.css stops the scrolling instead. */}
        <div className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          onCloseAutoFocus={giveFocusBack}
          {...(description ? {} : { "aria-describedby": undefined })}
          className={`fixed inset-0 z-50 m-auto h-fit max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] overflow-y-auto rounded-xl border border-line bg-raised p-6 shadow-xl ${wide ? "max-w-2xl" : "max-w-md"}`}
        >
          <div className="mb-5 pr-8">
            <Radix.Title className="text-lg font-semibold tracking-tight wrap-anywhere">{title}</Radix.Title>
            {description && (
              <Radix.Description className="mt-1 text-sm text-muted wrap-anywhere">{description}</Radix.Description>
            )}
          </div>
          {children}
          {/* Last, so that the first thing to fill in or to press gets the focus. */}
          <Radix.Close className={`${buttonLook("bare")} absolute top-4 right-4 px-2!`} aria-label="Close">
            <X className="size-4" aria-hidden="true" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Radix gives the focus back to a trigger of its own only; these dialogs are opened from anywhere. */
function useReturnFocus(open: boolean): (event: Event) => void {
  const before = useRef<{ open: boolean; element: Element | null }>({ open: false, element: null });
  // Read while the dialog is not shown yet: a field in it may take the focus before any effect runs.
  if (before.current.open !== open)
    before.current = { open, element: open ? document.activeElement : before.current.element };
  return (event) => {
    event.preventDefault();
    if (before.current.element instanceof HTMLElement) before.current.element.focus();
  };
}

import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";

type MenuProps = { label: string; trigger: ReactNode; children: ReactNode; side?: "top" | "bottom" };

/** A button that opens a menu. `label` is the accessible name of both. */
export function Menu({ label, trigger, children, side = "bottom" }: MenuProps) {
  return (
    // A modal menu would write a style element, which the content security policy refuses.
    <Radix.Root modal={false}>
      <Radix.Trigger
        aria-label={label}
        className="flex w-full min-w-0 items-center gap-2.5 rounded-md px-2.5 py-2 text-left text-sm hover:bg-hover data-[state=open]:bg-hover"
      >
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          side={side}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) w-(--radix-dropdown-menu-trigger-width) min-w-52 overflow-y-auto rounded-lg border border-line bg-raised p-1.5 shadow-lg"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type MenuAtProps = {
  label: string;
  /** A place on the screen. */
  at: { x: number; y: number };
  onClose: () => void;
  /** Where the focus goes afterwards, unless it was taken elsewhere. */
  goBack: () => void;
  children: ReactNode;
};

/** A menu that no button of its own opens. */
export function MenuAt({ label, at, onClose, goBack, children }: MenuAtProps) {
  const isLeft = useRef(false);
  return (
    <Radix.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Trigger asChild aria-label={label}>
        <span aria-hidden="true" className="pointer-events-none fixed" style={{ left: at.x, top: at.y }} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          onContextMenu={(event) => event.preventDefault()}
          onInteractOutside={() => {
            isLeft.current = true;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!isLeft.current) goBack();
          }}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) w-72 overflow-y-auto rounded-lg border border-line bg-raised p-1.5 shadow-lg"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type MenuItemProps = {
  onSelect: () => void;
  /** The keys that do the same. */
  keys?: string | undefined;
  /** It takes something away. */
  isDanger?: boolean;
  disabled?: boolean;
  children: ReactNode;
};

export function MenuItem({ onSelect, keys, isDanger = false, disabled = false, children }: MenuItemProps) {
  return (
    <Radix.Item
      onSelect={onSelect}
      disabled={disabled}
      className={`${itemLook} data-disabled:cursor-default data-disabled:opacity-50 ${isDanger ? "text-danger" : ""}`}
    >
      {children}
      {keys !== undefined && (
        <kbd className="ml-auto shrink-0 rounded border border-line bg-page px-1.5 font-sans text-xs text-muted">
          {keys}
        </kbd>
      )}
    </Radix.Item>
  );
}

type MenuChoiceProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: { value: string; content: ReactNode }[];
};

/** One of several; the chosen one carries a tick. */
export function MenuChoice({ label, value, onChange, options }: MenuChoiceProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <Radix.Label className="px-2.5 py-1.5 text-xs font-medium text-muted">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={itemLook}>
          <span className="flex min-w-0 flex-1 items-center gap-2.5">{option.content}</span>
          <Radix.ItemIndicator>
            <Check className="size-4" aria-hidden="true" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLine() {
  return <Radix.Separator className="my-1.5 h-px bg-line" />;
}

const itemLook =
  "flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover";

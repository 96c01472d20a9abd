import { ChevronsUpDown } from "lucide-react";
import { Popover } from "radix-ui";
import { type ReactNode, useState } from "react";
import type { ChoiceSource } from "../../api/credentials.ts";
import { buttonLook } from "../../parts/button.tsx";
import type { Offer } from "../field-shape.ts";
import type { ControlProps } from "../form-context.ts";
import { type Choice, ChoiceMenu } from "./choice-menu.tsx";

type ChoicePickerProps = Pick<ControlProps, "id" | "label" | "value" | "onChange"> & {
  source: ChoiceSource;
  offer: Offer;
  /** The field itself: an id or an expression can be typed at any time. */
  children: ReactNode;
};

/** A field with a button that lists what the account offers for it. */
export function ChoicePicker({ id, label, value, onChange, source, offer, children }: ChoicePickerProps) {
  const [isOpen, setOpen] = useState(false);
  const [picked, setPicked] = useState<Choice>();
  const title = picked?.value === value ? picked?.title : undefined;
  const pick = (choice: Choice) => {
    setPicked(choice);
    onChange(choice.value);
    setOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Anchor asChild>
        <div className="flex min-w-0 items-start gap-1.5">
          <div className="grid min-w-0 flex-1 gap-1.5">{children}</div>
          <Popover.Trigger aria-label={`Choose ${label}`} className={`${buttonLook("bare")} shrink-0 px-2.5!`}>
            <ChevronsUpDown className="size-4" aria-hidden="true" />
          </Popover.Trigger>
        </div>
      </Popover.Anchor>
      {title !== undefined && title !== value && <p className="text-xs text-muted">{title}</p>}
      <Popover.Portal>
        <Popover.Content
          aria-label={`Choose ${label}`}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          // The panel and the dialog around the field would close as well.
          onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            document.getElementById(id)?.focus();
          }}
          className="z-50 flex max-h-[min(22rem,var(--radix-popover-content-available-height))] w-(--radix-popover-trigger-width) min-w-64 flex-col rounded-lg border border-line bg-raised p-2 shadow-lg"
        >
          <ChoiceMenu label={label} source={source} offer={offer} onPick={pick} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

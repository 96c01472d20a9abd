import { Ellipsis } from "lucide-react";
import { use } from "react";
import { FlowActionsContext, type MenuTarget } from "./flow-actions.ts";

type MoreButtonProps = { target: MenuTarget; title: string; className?: string };

/** Opens the menu of what it stands on; there while the pointer is over that, or while it is chosen. */
export function MoreButton({ target, title, className = whileChosen }: MoreButtonProps) {
  const actions = use(FlowActionsContext);
  if (!actions) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`More about ${title}`}
      aria-haspopup="menu"
      title="More (Shift+F10)"
      onClick={(event) => {
        event.stopPropagation();
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        actions.openMenu(target, { x: left, y: bottom });
      }}
      className={`nodrag nopan size-6 items-center justify-center rounded-md border border-line bg-surface text-muted hover:border-accent hover:text-accent ${className}`}
    >
      <Ellipsis className="size-3.5" aria-hidden="true" />
    </button>
  );
}

const whileChosen = "hidden group-hover/box:flex group-data-[chosen=true]/box:flex";

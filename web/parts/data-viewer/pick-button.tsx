import { createContext, type ReactNode, use } from "react";

export type Picking = { onPick: (path: string) => void };

export const PickingContext = createContext<Picking | null>(null);

/** The name of a field; where fields can be chosen it is a button that can also be dragged into a text. */
export function PickButton({
  path,
  children,
  className = "",
}: {
  path: string;
  children: ReactNode;
  className?: string;
}) {
  const picking = use(PickingContext);
  if (!picking || path === "") return <span className={className}>{children}</span>;
  return (
    <button
      type="button"
      draggable
      title={`Insert ${path}`}
      onClick={() => picking.onPick(path)}
      onDragStart={(event) => {
        event.dataTransfer.setData("text/plain", `{{ ${path} }}`);
        event.dataTransfer.setData(referenceType, path);
        event.dataTransfer.effectAllowed = "copy";
      }}
      className={`cursor-grab rounded text-left hover:bg-accent-soft hover:text-accent-strong ${className}`}
    >
      {children}
    </button>
  );
}

/** What is dragged: a reference without braces. */
export const referenceType = "application/x-reference";

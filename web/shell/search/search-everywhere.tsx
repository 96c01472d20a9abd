import { Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { keyOf } from "../../parts/key-of.ts";
import type { MyOrganization } from "../../session.ts";

const SearchDialog = lazy(async () => ({ default: (await import("./search-dialog.tsx")).SearchDialog }));

/** Opened by its sign, and by Ctrl+K or ⌘K from wherever one is. */
export function SearchEverywhere({ organization }: { organization: MyOrganization }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (keyOf(event) !== "ctrl+k") return;
      event.preventDefault();
      // Another dialog may show what is told only once.
      const isAnyOpen = document.querySelector("[role=dialog]") !== null;
      setOpen((before) => !before && !isAnyOpen);
    };
    // Before any field or canvas takes the key for itself.
    document.addEventListener("keydown", press, { capture: true });
    return () => document.removeEventListener("keydown", press, { capture: true });
  }, []);
  return (
    <>
      <Button
        look="bare"
        className="px-2!"
        aria-label="Search everywhere"
        aria-keyshortcuts="Control+K Meta+K"
        title="Search everywhere (Ctrl+K)"
        onClick={() => setOpen(true)}
      >
        <Search className="size-4" aria-hidden="true" />
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <SearchDialog organization={organization} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

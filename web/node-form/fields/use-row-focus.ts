import { useEffect, useState } from "react";

/** After a row was added or removed the focus goes where one continues: into the new row, or to the button that adds one. */
export function useRowFocus(): { focusLater: (id: string) => void } {
  const [wanted, setWanted] = useState<{ id: string }>();
  useEffect(() => {
    if (!wanted) return;
    const place = document.getElementById(wanted.id);
    const field = place?.matches("[role=group]")
      ? place.querySelector<HTMLElement>("input, textarea, select")
      : undefined;
    (field ?? place)?.focus();
  }, [wanted]);
  return { focusLater: (id) => setWanted({ id }) };
}

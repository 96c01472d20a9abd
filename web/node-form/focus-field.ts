/** Moves the focus to a field of a form, or to the nearest field around it, and opens what hides it. */
export function focusField(idPrefix: string, pointer: string): boolean {
  const parts = pointer.split("/");
  for (let length = parts.length; length > 0; length--) {
    const element = document.getElementById(`${idPrefix}${parts.slice(0, length).join("/")}`);
    if (!element) continue;
    for (let around = element.closest("details"); around; around = around.parentElement?.closest("details") ?? null)
      around.open = true;
    element.focus();
    element.scrollIntoView({ block: "nearest" });
    return true;
  }
  return false;
}

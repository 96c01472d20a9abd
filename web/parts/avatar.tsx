/** The first letters of a name. Always beside the name itself, so it is hidden from assistive technology. */
export function Avatar({ name, square = false, small = false }: { name: string; square?: boolean; small?: boolean }) {
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("")
    .toUpperCase();
  return (
    <span
      aria-hidden="true"
      // Drawn by the style sheet: as text they would count as a part of the button's visible name.
      data-initials={initials}
      className={`before:content-[attr(data-initials)] grid shrink-0 place-items-center bg-accent-soft font-semibold text-accent ${small ? "size-5 text-[0.625rem]" : "size-8 text-xs"} ${square ? "rounded-md" : "rounded-full"}`}
    />
  );
}

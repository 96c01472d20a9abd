/** The product mark: a track and its switch. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-7 shrink-0" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g fill="none" strokeWidth="3" strokeLinecap="round" className="stroke-on-accent">
        <path d="M5 22.5h22" />
        <path d="M8 22.5c9 0 9-13 19-13" />
      </g>
    </svg>
  );
}

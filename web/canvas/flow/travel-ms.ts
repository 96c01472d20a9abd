/** How long the view travels to another place. Whoever wants less motion is there at once. */
export const travelMs = (): number => (matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150);

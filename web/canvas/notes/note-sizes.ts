/** How large a note begins, and how small and large it may be made here. */
export const newNote = { width: 240, height: 120 };
export const leastNote = { width: 120, height: 60 };
export const mostNote = 4000;

export const withinSizes = (width: number, height: number): { width: number; height: number } => ({
  width: Math.min(mostNote, Math.max(leastNote.width, width)),
  height: Math.min(mostNote, Math.max(leastNote.height, height)),
});

/** Whether keys are pressed where somebody writes or chooses, which needs them for itself. */
export const isInField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable=true]") !== null;

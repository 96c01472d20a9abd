/** Rung by one, waited for by another, who may come later. */
export function createBell() {
  let next = Promise.withResolvers<void>();
  let isRung = false;
  return {
    ring(): void {
      isRung = true;
      next.resolve();
    },
    /** Resolves when it is rung, at once when it was since it was heard last. */
    rung: (): Promise<void> => next.promise,
    /** Whether it was rung since it was heard last. */
    hear(): boolean {
      if (!isRung) return false;
      isRung = false;
      next = Promise.withResolvers<void>();
      return true;
    },
  };
}

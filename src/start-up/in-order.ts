/** A feature that works in the background. What it starts depends on the role of its process, which it knows from the ground. */
type Feature = { start?: () => Promise<void> | void; stop: () => Promise<void> | void };

/** Starts features in the order of dependence, and stops them in the reverse. */
export const inOrder = (features: Feature[]) => ({
  async start(): Promise<void> {
    for (const { start } of features) await start?.();
  },
  async stop(): Promise<void> {
    for (const { stop } of features.toReversed()) await stop();
  },
});

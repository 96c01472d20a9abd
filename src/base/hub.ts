/** Publish and subscribe inside one process. A throwing listener is reported and does not stop the others. */
export const createHub = <Event>({ onError }: { onError: (error: unknown) => void }) => {
  type Subscription = { listener: (event: Event) => void };
  const topics = new Map<string, Set<Subscription>>();

  const publish = (topic: string, event: Event): void => {
    const subscriptions = topics.get(topic);
    if (!subscriptions) return;
    for (const subscription of [...subscriptions]) {
      if (!subscriptions.has(subscription)) continue;
      try {
        subscription.listener(event);
      } catch (error) {
        onError(error);
      }
    }
  };

  const subscribe = (topic: string, listener: (event: Event) => void): (() => void) => {
    const subscription = { listener };
    const subscriptions = topics.get(topic) ?? new Set();
    topics.set(topic, subscriptions.add(subscription));
    return () => {
      subscriptions.delete(subscription);
      if (subscriptions.size === 0 && topics.get(topic) === subscriptions) topics.delete(topic);
    };
  };

  return { publish, subscribe, subscriberCount: (topic: string): number => topics.get(topic)?.size ?? 0 };
};

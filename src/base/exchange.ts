type Message = { question: unknown; id: number } | { answer: unknown; id: number };

type Channel = {
  send: (message: Message) => void;
  listen: (receive: (message: unknown) => void) => void;
  /** What the other side asks for; undefined when it is not known here. */
  answer: (question: unknown) => unknown;
};

/** Questions and answers between two processes that share a channel. A question that stays without an answer is answered with undefined. */
export function createExchange({ send, listen, answer }: Channel) {
  const open = new Map<number, (answer: unknown) => void>();
  let lastId = 0;

  listen((received) => {
    const message = received as Message;
    if ("question" in message)
      void Promise.resolve(answer(message.question)).then((found) => send({ answer: found, id: message.id }));
    else open.get(message.id)?.(message.answer);
  });

  return (question: unknown, limitMs: number): Promise<unknown> => {
    const id = ++lastId;
    return new Promise((resolve) => {
      const settle = (found?: unknown) => {
        clearTimeout(timer);
        open.delete(id);
        resolve(found);
      };
      const timer = setTimeout(settle, limitMs);
      open.set(id, settle);
      send({ question, id });
    });
  };
}

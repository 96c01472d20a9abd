import { AsyncLocalStorage } from "node:async_hooks";

const underWay = new AsyncLocalStorage<true>();

/**
 * Whatever `work` asks the database for goes over the connections of pages. A page can be slow, and it can be asked for over and over: keys, sessions,
 * records and runs must never wait for a connection that pages hold.
 */
export const runAsPage = <Result>(work: () => Result): Result => underWay.run(true, work);

export const isPageWork = (): boolean => underWay.getStore() === true;

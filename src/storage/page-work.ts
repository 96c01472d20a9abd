import { AsyncLocalStorage } from "node:async_hooks";

const underWay = new AsyncLocalStorage<boolean>();

/**
 * Whatever `work` asks the database for goes over the connections of pages. A page can be slow, and it can be asked for over and over: keys, sessions,
 * records and runs must never wait for a connection that pages hold.
 */
export const runAsPage = <Result>(work: () => Result): Result => underWay.run(true, work);

/** For what a page happens to begin and others wait for as well, or what goes on after it. */
export const runForAll = <Result>(work: () => Result): Result => underWay.run(false, work);

export const isPageWork = (): boolean => underWay.getStore() === true;

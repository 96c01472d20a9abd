import { v7 } from "uuid";

/** Time-ordered, so that index pages stay warm and lists can be cut by id. */
export const newId = (): string => v7();

import type { Fault } from "./wire.ts";

/** What one hop showed: what the next hops need, or what is wrong and what to do about it. */
export type Finding<Value> = { isSound: true; seen: string; value: Value; advice?: string } | Broken;
export type Broken = { isSound: false; fault: Fault; seen: string; fix: string };

export const sound = <Value>(seen: string, value: Value): Finding<Value> => ({ isSound: true, seen, value });

/** Nothing is broken, but somebody should know. */
export const warning = (seen: string, advice: string): Finding<null> => ({ isSound: true, seen, value: null, advice });

export const broken = (fault: Fault, seen: string, fix: string): Broken => ({ isSound: false, fault, seen, fix });

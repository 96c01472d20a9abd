/** How far a list counts its entries: what is said beside a page must not take longer the more there are. */
export const mostCounted = 1_000;

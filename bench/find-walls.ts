/** What one unit costs one PostgreSQL, in processor time unless it says otherwise. */
export type UnitCosts = {
  /** Opening and closing the records of a whole batch, and how long that takes. */
  records: { size: number; microseconds: number; milliseconds: number }[];
  verifyMicroseconds: number;
  /** Taking permits of an organization that nobody else uses, or giving them back. */
  slotSyncMicroseconds: number;
  /** One commit that announces something, all those included that are woken by it. */
  notify: { listeners: number; microseconds: number }[];
};

export type Layout = {
  gateways: number;
  organizations: number;
  callsPerSecond: number;
  /** How many gateways the calls of one organization come to. */
  gatewaysPerOrganization: number;
  /** Announcements of one gateway per second, at most. */
  announcementsPerSecond: number;
};

export type Demand = { verify: number; records: number; slots: number; notify: number };

/** As src/slots/slots.ts keeps a permit that nobody uses. */
const idleSeconds = 5;
const highestRate = 10_000_000;

/** Microseconds of PostgreSQL per second, by what they are spent on. */
export function demandOf(costs: UnitCosts, layout: Layout): Demand {
  const { gateways, organizations, callsPerSecond, gatewaysPerOrganization, announcementsPerSecond } = layout;
  const perGateway = callsPerSecond / gateways;
  const perPair = callsPerSecond / (organizations * gatewaysPerOrganization);
  // A permit is taken and given back once for each row of calls that follow each other within the idle time.
  const syncsPerCall = 2 * Math.exp(-perPair * idleSeconds);
  const announcements = gateways * Math.min(announcementsPerSecond, 2 * perGateway);
  return {
    verify: callsPerSecond * costs.verifyMicroseconds,
    records: callsPerSecond * recordMicroseconds(costs, perGateway),
    slots: callsPerSecond * syncsPerCall * costs.slotSyncMicroseconds,
    notify: announcements * between(costs.notify, gateways),
  };
}

export const totalOf = ({ verify, records, slots, notify }: Demand): number => verify + records + slots + notify;

/** Calls per second at which all cores are busy. */
export function mostCalls(costs: UnitCosts, layout: Layout, cores: number): number {
  let [low, high] = [1, highestRate];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (totalOf(demandOf(costs, { ...layout, callsPerSecond: middle })) > cores * 1e6) high = middle;
    else low = middle;
  }
  return low;
}

/** What comes while a batch is written is the next batch, so more calls make each of them cheaper. */
function recordMicroseconds({ records }: UnitCosts, callsPerSecond: number): number {
  const times = records.map(({ size, milliseconds }) => ({ listeners: size, microseconds: milliseconds }));
  const costs = records.map(({ size, microseconds }) => ({ listeners: size, microseconds }));
  const largest = records.at(-1)?.size ?? 1;
  let size = 1;
  for (let step = 0; step < 50; step++) size = Math.min(largest, Math.max(1, (callsPerSecond * between(times, size)) / 1000));
  return between(costs, size) / size;
}

/** On the straight line between the two measured points around it, or through the last two. */
function between(points: UnitCosts["notify"], at: number): number {
  const index = Math.max(
    1,
    points.findIndex(({ listeners }) => listeners >= at),
  );
  const [low, high] =
    points.at(-1)?.listeners && at > (points.at(-1)?.listeners ?? 0) ? points.slice(-2) : points.slice(index - 1, index + 1);
  if (!low || !high) return points[0]?.microseconds ?? 0;
  const slope = (high.microseconds - low.microseconds) / (high.listeners - low.listeners);
  return low.microseconds + slope * (at - low.listeners);
}

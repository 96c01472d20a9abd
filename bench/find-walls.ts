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
    notify: announcements * announcementMicroseconds(costs, gateways),
  };
}

export const totalOf = ({ verify, records, slots, notify }: Demand): number => verify + records + slots + notify;

const announcementMicroseconds = ({ notify }: UnitCosts, gateways: number): number =>
  interpolate(
    notify.map(({ listeners, microseconds }) => ({ at: listeners, value: microseconds })),
    gateways,
  );

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

/** How often the size of a batch is put into the formula again. It settles within a few rounds. */
const rounds = 50;

/**
 * What the record of one call costs. All calls that arrive while a batch is written go into the next one, so how large a batch is
 * depends on how long the one before it took, and that on how large that one was. The size that repeats itself is found by trying:
 * it begins with one call, and each round takes the number of calls that arrive while a batch of the last size is written.
 */
function recordMicroseconds({ records }: UnitCosts, callsPerSecond: number): number {
  const millisecondsBySize = records.map(({ size, milliseconds }) => ({ at: size, value: milliseconds }));
  const costBySize = records.map(({ size, microseconds }) => ({ at: size, value: microseconds }));
  const largest = records.at(-1)?.size ?? 1;
  let size = 1;
  for (let round = 0; round < rounds; round++) {
    const arrived = (callsPerSecond * interpolate(millisecondsBySize, size)) / 1000;
    size = Math.min(largest, Math.max(1, arrived));
  }
  return interpolate(costBySize, size) / size;
}

type Point = { at: number; value: number };

/** The value on the straight line through the two measured points around `at`, or through the last two when it is beyond all of them. */
function interpolate(points: Point[], at: number): number {
  const next = points.findIndex((point) => point.at >= at);
  const end = next === -1 ? points.length : Math.max(next + 1, 2);
  const [low, high] = points.slice(end - 2, end);
  if (!low || !high) return points[0]?.value ?? 0;
  const slope = (high.value - low.value) / (high.at - low.at);
  return low.value + slope * (at - low.at);
}

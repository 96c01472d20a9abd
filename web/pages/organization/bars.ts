/** One way things went: what it is called, and in which colour it is drawn. */
export type Layer<Key extends string> = { key: Key; word: string; fill: string; dot: string };
export type Bar<Key extends string> = { at: string; counts: Record<Key, number> };
export type BarsProps<Key extends string> = {
  label: string;
  layers: Layer<Key>[];
  bars: Bar<Key>[];
  bucketMinutes: number;
};

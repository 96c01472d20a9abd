// Loaded before a program: its clock is wrong by so many milliseconds, from the start or from SIGUSR2 on.
let shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS ?? 0);
process.on("SIGUSR2", () => {
  shiftMs = Number(process.env.TEST_CLOCK_JUMP_MS ?? 0);
});
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (real, given, target) =>
    given.length === 0
      ? Reflect.construct(real, [RealDate.now() + shiftMs], target)
      : Reflect.construct(real, given, target),
  get: (real, name, receiver) => (name === "now" ? () => RealDate.now() + shiftMs : Reflect.get(real, name, receiver)),
});

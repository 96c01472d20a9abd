/** Acts at once when asked, and then at most once in a while; the last request is never lost. */
export function createThrottle(act: () => void, everyMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAskedAgain = false;

  function ask(): void {
    if (timer) {
      isAskedAgain = true;
      return;
    }
    act();
    timer = setTimeout(() => {
      timer = undefined;
      if (isAskedAgain) {
        isAskedAgain = false;
        ask();
      }
    }, everyMs);
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return { ask, stop };
}

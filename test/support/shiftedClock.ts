/**
 * Settings of a process whose clock is off by that many milliseconds, in all of its threads. Monotonic time runs as everywhere. It replaces
 * `Date`, and where `performance` says that the process began.
 */
export function shiftedClock(ms: number): Readonly<Record<string, string>> {
  const code = `
    const trueDate = Date
    const now = () => trueDate.now() + ${ms}
    globalThis.Date = new Proxy(trueDate, {
      construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
      get: (target, name) => (name === 'now' ? now : target[name]),
    })
    Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ${ms} })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

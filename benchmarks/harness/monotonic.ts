/**
 * Milliseconds on the machine's monotonic clock, which all processes of one machine share: `process.hrtime` reads CLOCK_MONOTONIC
 * (Linux) or mach_absolute_time (macOS), whose zero is the machine's start and not the process's. Readings of two processes can
 * therefore be subtracted. `performance.timeOrigin + performance.now()` is less exact: each process takes its origin from the wall
 * clock at its start, and the wall clock is stepped and slewed.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

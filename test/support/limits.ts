/*
 * Limits that end what hangs. They do not measure speed: beside other work a step can take forty times as long as on an idle machine, and a
 * limit that a slow step can reach fails without a fault.
 */

/** For what a test gives a limit of its own: a browser, a connection. Conditions are waited for with `patience.ts`. */
export const POLL_LIMIT_MS = 300_000

/** For a test or a hook. */
export const TEST_LIMIT_MS = 900_000

/** For a test that runs random cases until all seeds are done. */
export const seedsLimitMs = (seeds: number): number => TEST_LIMIT_MS + seeds * 10_000

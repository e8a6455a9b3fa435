/*
 * Runs after `requireNode.cjs`: until `main.ts` listens itself, nothing is started, so a request to stop ends the process at once. Without it
 * the signal would do that, which a supervisor takes for a failure.
 */

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(0))

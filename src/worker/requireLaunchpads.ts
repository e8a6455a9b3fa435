import type { LaunchpadConfig } from '#config'
import { TokenwireError } from '#errors'
import { describePlan } from '#launchpads/describePlan.ts'
import { isIdle, planLaunchpads } from '#launchpads/planLaunchpads.ts'

/**
 * Checks that an index was built from these launchpads.
 *
 * @param inForce the list that it was built from
 * @throws `TokenwireError` `database_foreign` with what differs
 */
export function requireLaunchpads(inForce: readonly LaunchpadConfig[], wanted: readonly LaunchpadConfig[]): void {
  const plan = planLaunchpads(inForce, wanted)
  if (isIdle(plan)) return
  const differing = plan.steps.filter(({ kind }) => kind !== 'unchanged')
  const lines = describePlan({ steps: differing }, null).map(line => `  ${line}`)
  throw new TokenwireError(
    'database_foreign',
    `The database was built from other launchpads. What differs:\n${lines.join('\n')}\nChange it with npm run launchpads -- apply, or put ` +
      'the earlier LAUNCHPADS_FILE back, or point DATABASE_URL (or DATA_DIR) at another database.',
  )
}

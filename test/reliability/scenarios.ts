import { CRASH_RECOVERY } from './crashRecovery.ts'
import { DATA } from './data.ts'
import { FURTHER } from './further.ts'
import { HEAD_LATENCY } from './headLatency.ts'
import { LYING_PROVIDER } from './lyingProvider.ts'
import { REORGS } from './reorgs.ts'
import { RPC_FAULTS } from './rpcFaults.ts'
import type { Scenario } from './scenario.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...CRASH_RECOVERY,
  ...REORGS,
  ...RPC_FAULTS,
  ...DATA,
  ...HEAD_LATENCY,
  ...FURTHER,
  ...LYING_PROVIDER,
]

/**
 * The scenarios whose group or name has a text.
 *
 * @throws when there is none: a run of nothing would pass
 */
export function chooseScenarios(only: string): readonly Scenario[] {
  const chosen = SCENARIOS.filter(({ name, group }) => `${group}: ${name}`.includes(only))
  if (chosen.length > 0) return chosen
  const groups = [...new Set(SCENARIOS.map(({ group }) => group))]
  throw new Error(`no scenario has "${only}" in its name or group; the groups are ${groups.join(', ')}`)
}

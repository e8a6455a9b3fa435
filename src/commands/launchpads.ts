import { loadConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { describePlan } from '#launchpads/describePlan.ts'
import { planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createOrm } from '#store/connection/orm.ts'
import { readIdentity } from '#store/rows/identity.ts'
import { readQuoteCurrencies } from '#store/rows/quoteCurrencies.ts'
import { applyLaunchpads } from '#worker/applyLaunchpads.ts'
import { type ConnectedChain, connectChain } from '#worker/connectChain.ts'
import { databaseCommand } from './databaseCommand.ts'

/*
 * npm run launchpads -- plan: compares launchpads.json with the list that the index was built from, and says per launchpad what differs
 * and how many blocks that takes. Changes nothing. The service may run meanwhile.
 * npm run launchpads -- apply: makes the index one of launchpads.json. Indexes what is new in a side index while the service runs, and asks
 * for the stop of the service when that is done.
 */

const [, , task] = process.argv

async function plan(url: string, { source, launchpads }: ConnectedChain, logger: Parameters<typeof createOrm>[1]): Promise<string> {
  const orm = createOrm(url, logger, { poolSize: 1, applicationName: 'tokenwire-plan' })
  try {
    const db = orm.em.getKysely<unknown>()
    const identity = await readIdentity(db)
    if (identity === null) throw new TokenwireError('config_invalid', 'DATABASE_URL: there is no index of this version in the database')
    const { head } = await source.tip({ confirmations: 0, announced: false, next: null })
    return describePlan(planLaunchpads(identity.launchpads, launchpads, await readQuoteCurrencies(db)), head.number).join('\n')
  } finally {
    await orm.close(true)
  }
}

if ((task !== 'plan' && task !== 'apply') || process.argv.length > 3) {
  process.stderr.write('usage: npm run launchpads -- plan, or apply\n')
  process.exitCode = 1
} else {
  const load = () => loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  await databaseCommand(load, async ({ url, config, logger }) => {
    const chain = await connectChain(config, logger)
    const tell = (line: string) => void process.stdout.write(`${line}\n`)
    try {
      return await (task === 'plan' ? plan(url, chain, logger) : applyLaunchpads({ config, chain, url, logger, tell }))
    } finally {
      chain.rpc.close()
    }
  })
}

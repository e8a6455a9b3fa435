import type { Kysely } from 'kysely'
import { loadConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { describePlan } from '#launchpads/describePlan.ts'
import { planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createOrm } from '#store/connection/orm.ts'
import { readIdentity } from '#store/rows/identity.ts'
import { type ListInForce, readListInForce, requestRebuild } from '#store/rows/listInForce.ts'
import { readQuoteCurrencies } from '#store/rows/quoteCurrencies.ts'
import { connectChain } from '#worker/connectChain.ts'
import { databaseCommand, databaseConfig } from './databaseCommand.ts'

/*
 * npm run launchpads -- plan: compares launchpads.json with the index, and says per launchpad what differs and how many blocks that takes.
 * Changes nothing: the process that indexes changes the index when the file changes.
 * npm run launchpads -- rebuild <name>: has a launchpad built anew, as when its adapter has learned something.
 */

interface Work {
  readonly db: Kysely<unknown>
  readonly list: ListInForce
}

/** Runs the work on an index that there is. */
async function withIndex(url: string, logger: Parameters<typeof createOrm>[1], work: (on: Work) => Promise<string>): Promise<string> {
  const orm = createOrm(url, logger, { poolSize: 1, applicationName: 'tokenwire-launchpads' })
  try {
    const db = orm.em.getKysely<unknown>()
    if ((await readIdentity(db)) === null)
      throw new TokenwireError('config_invalid', 'DATABASE_URL: there is no index of this version in the database')
    return await work({ db, list: await readListInForce(db) })
  } finally {
    await orm.close(true)
  }
}

function plan(): Promise<void> {
  const load = () => loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  return databaseCommand(load, async ({ url, config, logger }) => {
    const { rpc, source, launchpads } = await connectChain(config, logger)
    try {
      return await withIndex(url, logger, async ({ db, list }) => {
        const { head } = await source.tip({ confirmations: 0, announced: false, next: null })
        return describePlan(planLaunchpads(list, { ...config.launchpads, launchpads }, await readQuoteCurrencies(db)), head.number).join(
          '\n',
        )
      })
    } finally {
      rpc.close()
    }
  })
}

function rebuild(name: string): Promise<void> {
  return databaseCommand(databaseConfig, ({ url, logger }) =>
    withIndex(url, logger, async ({ db, list: { launchpads } }) => {
      const names = launchpads.map(launchpad => launchpad.name)
      if (!names.includes(name))
        throw new TokenwireError('config_invalid', `there is no launchpad ${name} in the index (${names.join(', ')})`)
      await requestRebuild(db, name)
      return `${name} is built anew by the process that indexes, and served as it is until then.`
    }),
  )
}

const [, , task, name, ...others] = process.argv

if (task === 'plan' && name === undefined) await plan()
else if (task === 'rebuild' && name !== undefined && others.length === 0) await rebuild(name)
else {
  process.stderr.write('usage: npm run launchpads -- plan, or rebuild <name>\n')
  process.exitCode = 1
}

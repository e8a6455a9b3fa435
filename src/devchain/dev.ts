import { readFileSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { readEnvironment } from '#configuration/environment.ts'
import { messageOf, TokenwireError } from '#errors'
import { findFreePort } from '#gateway/listening/server.ts'
import { claimDataDir } from './dev/claimDataDir.ts'
import { PartEnded } from './dev/partEnded.ts'
import { runDev } from './dev/runDev.ts'
import { type DevSettings, readDevSettings } from './dev/settings.ts'
import { createShutdown } from './dev/shutdown.ts'
import { stopRequested } from './dev/stopRequested.ts'
import { startWatchdog } from './startWatchdog.ts'

/*
 * npm run dev: a private chain, a market with a day of history, the real service, and traders that continue. Exit code 0 when it
 * was asked to stop, else the service's exit code, or 1.
 */

async function main(): Promise<number> {
  const asked = stopRequested()
  const environment = readEnvironment(process.env, process.cwd(), file => readFileSync(file, 'utf8'))
  const settings = await withDataDir(readDevSettings(environment, process.cwd(), process.argv.slice(2)))
  await requireDevPorts(settings)
  const release = await claimDataDir(settings.dataDir)
  if (release === null) {
    const remedy = 'stop it, or choose another DATA_DIR'
    throw new TokenwireError('config_invalid', `DATA_DIR: another npm run dev uses ${settings.dataDir}; ${remedy}`)
  }
  const watchdog = startWatchdog()
  const shutdown = createShutdown(error => console.error('A process did not stop cleanly:', error))
  shutdown.add(release)
  // Ends all processes that are still left, then itself.
  shutdown.add(() => watchdog.stop())
  try {
    const reason = await Promise.race([asked, runDev({ settings, environment, watchdog, shutdown })])
    console.log(`\nStopping (${reason}) …`)
    return 0
  } catch (error) {
    if (!(error instanceof PartEnded)) throw error
    console.error(`\n${error.message}`)
    return error.exitCode
  } finally {
    await shutdown.run()
  }
}

/** @throws `TokenwireError` `config_invalid` when a port is taken, which the service would find only after the market is simulated */
async function requireDevPorts({ host, port, gateways }: DevSettings): Promise<void> {
  const problemFrom = async (from: number): Promise<string | null> => {
    for (let one = from; one < from + Math.max(1, gateways); one++) {
      const reason = await findFreePort(host, one).then(() => null, messageOf)
      if (reason !== null) return reason
    }
    return null
  }
  const problem = port === 0 ? null : await problemFrom(port)
  if (problem === null) return
  let other = port + 1
  while (other < port + 100 && (await problemFrom(other)) !== null) other++
  const args = gateways === 0 ? '' : ` -- --gateways ${gateways}`
  throw new TokenwireError('config_invalid', `${problem}. Choose another port: PORT=${other} npm run dev${args}`)
}

/** Creates the data folder and resolves links in its path. */
async function withDataDir(settings: DevSettings): Promise<DevSettings> {
  const { dataDir } = settings
  try {
    await mkdir(dataDir, { recursive: true })
    return { ...settings, dataDir: await realpath(dataDir) }
  } catch (cause) {
    const reason = messageOf(cause)
    throw new TokenwireError('config_invalid', `DATA_DIR: can not use the folder ${dataDir} (${reason})`, { cause })
  }
}

try {
  process.exit(await main())
} catch (error) {
  if (!(error instanceof TokenwireError)) throw error
  console.error(error.message)
  process.exit(1)
}

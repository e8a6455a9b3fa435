import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { startTestChain } from '#test/support/chain.ts'
import { listen } from '#test/support/listen.ts'
import { serviceFolder, spawnService } from '#test/support/service.ts'

/*
 * A supervisor may stop a service that it has just started. In its first second a signal once ended the process by itself, and later the
 * start went on until it succeeded or failed.
 */

/** A provider that takes requests and answers none. */
const silent = createServer(() => asked.resolve())
const asked = Promise.withResolvers<void>()

const chain = await startTestChain()
const silentPort = await listen(silent)

afterAll(async () => {
  silent.closeAllConnections()
  silent.close()
})

/** Settings of a process that sends itself the signal when it loads a module. */
function stoppedWhileLoading(module: RegExp): Readonly<Record<string, string>> {
  const code = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        if (${module}.test(url)) process.kill(process.pid, 'SIGTERM')
        return next(url, context)
      },
    })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

const commands = () => execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }).split('\n')

type Settings = Readonly<Record<string, string>>

const MOMENTS: readonly (readonly [moment: string, settings: (silentUrl: string) => Settings])[] = [
  ['its first module loads', () => stoppedWhileLoading(/\/service\.js$/)],
  ['its other modules load', () => stoppedWhileLoading(/\/run[-.][^/]*$/)],
  ['creating the embedded database', () => ({})],
  ['embedded PostgreSQL is ready', () => ({})],
  ['no provider answers', RPC_URLS => ({ RPC_URLS })],
]

test.each(MOMENTS)('SIGTERM while %s ends the start with exit code 0, and nothing is left running', async (moment, settingsFor) => {
  const folder = await serviceFolder(chain)
  const settings = settingsFor(`http://127.0.0.1:${silentPort}`)
  const service = spawnService({ ...folder.env, ...settings })
  if (settings['NODE_OPTIONS'] === undefined) {
    if (settings['RPC_URLS'] !== undefined) await asked.promise
    await expect.poll(service.output).toContain(settings['RPC_URLS'] === undefined ? moment : 'embedded PostgreSQL is ready')
    // A signal for a process with GATEWAYS had ended one without.
    service.process.kill('SIGUSR2')
    await expect.poll(service.output).toContain('SIGUSR2 is ignored')
    service.process.kill('SIGTERM')
  }
  expect([await service.exited, service.output()]).toEqual([0, expect.stringMatching(/^$|"stopped"\}?\n$/)])
  expect(commands().filter(command => command.includes(folder.folder))).toEqual([])
  expect((await readdir(folder.folder)).filter(name => name.startsWith('postgres.new'))).toEqual([])
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { startWatchdog, type Watchdog } from '#devchain/startWatchdog.ts'
import { isRunning } from '#test/support/processes.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const children: ChildProcess[] = []
const watchdogs: Watchdog[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const watchdog of watchdogs.splice(0)) await watchdog.stop()
})

/** A process that prints when it has started, and which signal ended it. */
const OBEDIENT = `process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(0) }); setInterval(() => {}, 1000); console.log('there')`
const DEAF = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('there')`

interface Target {
  readonly pid: number
  readonly output: () => string
  /** Resolves with the exit code and the signal. */
  readonly ended: Promise<unknown>
}

async function startTarget(script: string): Promise<Target> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child.stdout, 'data')
  return { pid: child.pid ?? 0, output: () => output, ended: once(child, 'close') }
}

function start(graceMs?: number): Watchdog {
  const watchdog = startWatchdog(graceMs === undefined ? {} : { graceMs })
  watchdogs.push(watchdog)
  return watchdog
}

describe('the watchdog', () => {
  it('signals the watched processes when its parent is killed, then ends itself', async () => {
    const target = await startTarget(OBEDIENT)
    const startModule = fileURLToPath(new URL('../../src/devchain/startWatchdog.ts', import.meta.url))
    const script = `import { startWatchdog } from ${JSON.stringify(startModule)}
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
      const watchdog = startWatchdog(); watchdog.watch(${target.pid}); setInterval(() => {}, 1000); console.log(watchdog.pid)`
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(parent)
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const watchdogPid = Number(line.toString())
    expect(isRunning(watchdogPid)).toBe(true)
    parent.kill('SIGKILL')
    await target.ended
    expect(target.output()).toBe('there\nSIGTERM\n')
    await expect.poll(() => isRunning(watchdogPid)).toBe(false)
  })

  it('kills a process that ignores its signal', async () => {
    const target = await startTarget(DEAF)
    const watchdog = start(200)
    watchdog.watch(target.pid)
    await watchdog.stop()
    expect(await target.ended).toEqual([null, 'SIGKILL'])
  })

  it('does not signal a forgotten process', async () => {
    const [kept, ended] = [await startTarget(OBEDIENT), await startTarget(OBEDIENT)]
    const watchdog = start()
    watchdog.watch(kept.pid)
    watchdog.watch(ended.pid)
    watchdog.forget(kept.pid)
    await watchdog.stop()
    await ended.ended
    expect(isRunning(kept.pid)).toBe(true)
    expect(kept.output()).toBe('there\n')
  })

  it('ends the process whose pid is in the file by then', async () => {
    const { path: folder } = await makeTemporaryFolder()
    const watchdog = start()
    watchdog.watchFile(path.join(folder, 'never written'))
    watchdog.watchFile(path.join(folder, 'with a space.pid'))
    const target = await startTarget(OBEDIENT)
    await writeFile(path.join(folder, 'with a space.pid'), `${target.pid}\n/some/folder\n12345\n`)
    await watchdog.stop()
    await target.ended
    expect(target.output()).toBe('there\nSIGTERM\n')
  })

  it('survives the signals that a terminal sends to the process group', async () => {
    const target = await startTarget(OBEDIENT)
    const script = fileURLToPath(new URL('../../src/devchain/watchdog.ts', import.meta.url))
    const watchdog = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(watchdog)
    await once(watchdog.stdout, 'data')
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) watchdog.kill(signal)
    watchdog.stdin.end(`watch ${target.pid} SIGTERM\n`)
    await target.ended
    expect(target.output()).toBe('there\nSIGTERM\n')
  })
})

import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBinaries, initialise } from '#store/embedded/initialise.ts'
import { asServerUser, chooseServerUser, layoutOf, startServer, stopServer } from '#store/embedded/serverProcess.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(() => folder.remove())

describe('the server’s user', () => {
  test('gets nothing of our environment but the path', () => {
    for (const user of [{ kind: 'self' }, { kind: 'user', uid: 5, gid: 6 }, { kind: 'entering', uid: 5, gid: 6 }] as const) {
      expect(asServerUser(user, '/bin/postgres', ['-D']).options.env).toEqual({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' })
    }
  })

  test('keeps one capability of root, and only where it could not enter otherwise', () => {
    expect(asServerUser({ kind: 'self' }, '/bin/postgres', ['-D', '/data'])).toMatchObject({ file: '/bin/postgres', args: ['-D', '/data'] })
    const user = asServerUser({ kind: 'user', uid: 5, gid: 6 }, '/bin/postgres', ['-D'])
    expect(user).toMatchObject({ file: '/bin/postgres', args: ['-D'], options: { uid: 5, gid: 6 } })
    const { file, args } = asServerUser({ kind: 'entering', uid: 5, gid: 6 }, '/bin/postgres', ['-D'])
    expect([file, ...args].join(' ')).toBe(
      'setpriv --reuid=5 --regid=6 --clear-groups --securebits=+no_setuid_fixup --inh-caps=-all,+dac_override --ambient-caps=-all,+dac_override /bin/postgres -D',
    )
  })

  test.runIf(!isRoot)('is ours when we are not root', async () => {
    const { postgres } = await findBinaries()
    expect((await chooseServerUser(postgres, folder.path, null)).user).toEqual({ kind: 'self' })
  })

  test.runIf(isRoot)('is another one than root, which owns what it owned before', async () => {
    const { postgres } = await findBinaries()
    const { user, version } = await chooseServerUser(postgres, join(folder.path, 'not', 'there', 'yet'), null)
    expect(user).toMatchObject({ kind: expect.stringMatching(/^(user|entering)$/), uid: expect.any(Number) })
    expect(user).not.toMatchObject({ uid: 0 })
    expect(version).toMatch(/^postgres \(PostgreSQL\) \d+/)
    expect((await chooseServerUser(postgres, folder.path, { uid: 65534, gid: 65534 })).user).toMatchObject({ uid: 65534, gid: 65534 })
  })

  test.runIf(isRoot)('may enter where a folder on the way is closed to it', async () => {
    const { postgres } = await findBinaries()
    const inner = join(folder.path, 'closed', 'inner')
    await mkdir(inner, { recursive: true })
    await chmod(join(folder.path, 'closed'), 0o700)
    expect((await chooseServerUser(postgres, inner, null)).user.kind).toBe('entering')
  })

  // Found in a checkout in a private temporary folder: postgres ran, and initdb said that it was not there.
  test.runIf(isRoot)('may run programs that lie in a closed folder, and nothing of root remains but that', async () => {
    const closed = join(folder.path, 'closed')
    await mkdir(closed)
    await run('cp', ['-a', join(dirname((await findBinaries()).postgres), '..'), join(closed, 'native')])
    await chmod(closed, 0o700)
    const [postgres, initdb] = [join(closed, 'native', 'bin', 'postgres'), join(closed, 'native', 'bin', 'initdb')]
    const layout = layoutOf(join(folder.path, 'data'))
    const { user } = await chooseServerUser(postgres, layout.dataDir, null)
    expect(user.kind).toBe('entering')
    await initialise(layout, initdb, user, { durable: false })
    const { pid } = await startServer({ layout, postgres, user, durable: false })
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    expect(/^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)$/m.exec(status)?.slice(1)).not.toContain('0')
    // CAP_DAC_OVERRIDE is the second bit.
    expect(['CapPrm', 'CapEff'].map(name => new RegExp(`^${name}:\\s+(\\w+)$`, 'm').exec(status)?.[1])).toEqual([
      '0000000000000002',
      '0000000000000002',
    ])
    await stopServer(layout, pid)
  })

  test('is not looked for where npm brings no PostgreSQL', async () => {
    await expect(findBinaries('plan9', 'mips')).rejects.toMatchObject({
      code: 'not_supported',
      message: expect.stringContaining('set DATABASE_URL'),
    })
  })
})

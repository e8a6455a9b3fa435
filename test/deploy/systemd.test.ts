import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { SETTINGS } from '#configuration/settings.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

const UNITS = path.resolve('deploy/systemd')
/** Of 10, which is a service without any restriction. */
const MOST_EXPOSED = 1.5

const analyze = findProgram({ names: ['systemd-analyze'], aptPackage: 'systemd' })
const units = (await readdir(UNITS)).filter(name => name.endsWith('.service'))
const textOf = (unit: string) => readFile(path.join(UNITS, unit), 'utf8')

describe.runIf(analyze !== null)('systemd', () => {
  const run = (...args: readonly string[]) => promisify(execFile)(analyze ?? '', args)
  let root: TemporaryFolder

  beforeAll(async () => {
    // An installation: its programs have to exist.
    root = await makeTemporaryFolder()
    const program = path.join(root.path, 'usr/bin')
    await mkdir(program, { recursive: true })
    for (const name of ['node', 'env']) {
      await writeFile(path.join(program, name), '', { mode: 0o755 })
    }
    await mkdir(path.join(root.path, 'etc/systemd/system'), { recursive: true })
    for (const unit of units) {
      const text = (await textOf(unit)).replaceAll('=/usr/bin/', `=${program}/`)
      await writeFile(path.join(root.path, 'etc/systemd/system', unit), text)
    }
  })

  test.for(units)('understands every line of %s', async unit => {
    const { stdout, stderr } = await run('verify', '--man=no', path.join(root.path, 'etc/systemd/system', unit))
    expect(
      [stdout, stderr]
        .join('')
        .split('\n')
        .filter(line => line.includes('tokenwire')),
    ).toEqual([])
  })

  test.for(units)('finds little that %s could harm', async unit => {
    const { stdout } = await run('security', '--offline=true', '--no-pager', path.join(UNITS, unit))
    const level = Number(/Overall exposure level for .*: (\d+\.\d)/.exec(stdout)?.[1])
    expect(level).toBeGreaterThan(0)
    expect(level).toBeLessThanOrEqual(MOST_EXPOSED)
  })
})

test.for(units)('%s starts the bundle after a check, with settings that exist', async unit => {
  const text = await textOf(unit)
  const commands = Array.from(text.matchAll(/^(ExecStart(?:Pre)?)=(.*)$/gm), ([, key, command]) => [
    key,
    command?.replace(/^\/usr\/bin\/env (?:\S+=\S+ )+/, ''),
  ])
  const service = '/usr/bin/node /opt/tokenwire/dist/service/main.js'
  expect(commands).toEqual([
    ['ExecStartPre', `${service} check`],
    ['ExecStart', service],
  ])
  const set = Array.from(text.matchAll(/(?:Environment=|\s)([A-Z_]{2,})=/g), ([, name = '']) => name)
  expect(set.filter(name => !(name in SETTINGS) && name !== 'NODE_ENV')).toEqual([])
})

test.for(units)('%s is started again after any end, and with the machine', async unit => {
  const text = await textOf(unit)
  expect(text).toMatch(/^Restart=always$/m)
  expect(text).toMatch(/^WantedBy=multi-user.target$/m)
})

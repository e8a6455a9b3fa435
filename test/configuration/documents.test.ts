import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { loadConfig } from '#configuration/loadConfig.ts'
import { SETTINGS } from '#configuration/settings.ts'
import type { SettingTable } from '#configuration/settingTypes.ts'
import { DEV_SETTINGS } from '#devchain/dev/settings.ts'
import { KINDS } from '#launchpads/mapping/kinds.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { envExample } from '../../build/configurationFiles.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const EXAMPLE = path.join(ROOT, 'docs/launchpads.example.json')
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8')

describe('.env.example', () => {
  /** A directory whose `.env` is this text and whose launchpads file is the example. */
  const load = (env: string) =>
    loadConfig(
      { RPC_URLS: 'http://127.0.0.1:8545' },
      {
        cwd: '/app',
        isTerminal: false,
        knownAdapters: ADAPTER_KINDS,
        readFile: file => (file === '/app/.env' ? env : readFileSync(EXAMPLE, 'utf8')),
      },
    )

  it('has every setting with its description and default', () => {
    expect(read('.env.example') === envExample(), 'npm run generate writes it anew').toBe(true)
  })

  it('is asked for a description of every setting', () => {
    const all = Object.entries<SettingTable[string]>({ ...SETTINGS, ...DEV_SETTINGS })
    expect(all.filter(([, { description = '' }]) => !/^[^`]+\.$/.test(description)).map(([name]) => name)).toEqual([])
  })

  it('gives the defaults, so that copying it changes nothing', () => {
    expect(load(read('.env.example'))).toEqual(load(''))
  })
})

describe('the files for launchpads.json', () => {
  it('have an example that is accepted', () => {
    expect(parseLaunchpads(readFileSync(EXAMPLE, 'utf8'), ADAPTER_KINDS)).toMatchObject({ kind: 'valid' })
  })

  it('have an example of mapped events that is accepted, beside every kind and field that there is', () => {
    const text = read('docs/mapping-events.md')
    const example = /```json\n(.*?)```/s.exec(text)?.[1] ?? ''
    expect(parseLaunchpads(example, ADAPTER_KINDS)).toMatchObject({ kind: 'valid' })
    const names = Object.entries(KINDS).flatMap(([kind, { fields }]) => [kind, ...Object.keys(fields)])
    expect(names.filter(name => !text.includes(`\`${name}\``))).toEqual([])
  })
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { launchpadsJsonSchema, parseLaunchpads } from '#configuration/launchpads.ts'
import { loadConfig } from '#configuration/loadConfig.ts'
import { SETTINGS } from '#configuration/settings.ts'
import type { SettingTable } from '#configuration/settingTypes.ts'
import { DEV_SETTINGS } from '#devchain/dev/settings.ts'
import { KINDS } from '#launchpads/mapping/kinds.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const EXAMPLE = path.join(ROOT, 'docs/launchpads.example.json')
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8')

/** A text as lines of a comment, of at most 140 columns. */
function commented(text: string): string {
  return text.replaceAll(/(.{1,138})(?: |$)/g, '# $1\n').trimEnd()
}

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

  it('has every setting with its description and default (renew it with -u)', async () => {
    const entries = Object.entries<SettingTable[string]>({ ...SETTINGS, ...DEV_SETTINGS }).map(([name, schema]) => {
      const value = [schema.safeParse(undefined).data].flat().join(',')
      return `${commented(schema.description ?? '')}\n${name}=${value}\n`
    })
    const header = commented('Copy to .env and fill in. The environment wins over this file; a blank value is the default.')
    await expect([`${header}\n`, ...entries].join('\n')).toMatchFileSnapshot(path.join(ROOT, '.env.example'))
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

  it('have a schema for editors that is the one of the validation (renew it with -u)', async () => {
    const file = path.join(ROOT, 'src/configuration/launchpads.schema.json')
    const biome = path.join(ROOT, 'node_modules/.bin/biome')
    const schema = JSON.stringify(launchpadsJsonSchema(ADAPTER_KINDS), null, 2)
    const formatted = execFileSync(biome, ['format', `--stdin-file-path=${file}`], { cwd: ROOT, input: schema, encoding: 'utf8' })
    await expect(formatted).toMatchFileSnapshot(file)
  })
})

import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { loadConfig } from '#configuration/loadConfig.ts'
import { SETTINGS } from '#configuration/settings.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'

/** What the service makes of the settings of a deployment, with `launchpads.json` in the image's folder. Unknown ones fail the test. */
export async function loadDeployed(environment: Readonly<Record<string, string>>) {
  expect(Object.keys(environment).filter(name => !(name in SETTINGS))).toEqual([])
  const launchpads = await readFile('docs/launchpads.example.json', 'utf8')
  const read = (file: string) => {
    if (file === '/config/launchpads.json') return launchpads
    throw Object.assign(new Error(), { code: 'ENOENT' })
  }
  return loadConfig(environment, { cwd: '/config', knownAdapters: ADAPTER_KINDS, readFile: read })
}

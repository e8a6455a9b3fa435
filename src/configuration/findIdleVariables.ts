import { nearestName } from '#domain/nearestName.ts'
import { type Environment, type ReadFile, readDotEnv, readUtf8 } from './environment.ts'
import { SETTINGS } from './settings.ts'

interface IdleVariablesOptions {
  /** The folder of `.env`. */
  readonly cwd: string
  /** Default: `readFileSync` as UTF-8. */
  readonly readFile?: ReadFile
}

/** Settings of earlier versions, and what to set in their place. */
const REMOVED: Readonly<Record<string, string>> = {
  GATEWAY_THREADS: 'GATEWAYS starts processes that share the port',
}

/** The most letters in which a misspelt name differs from the setting's. */
const MAX_CHANGES = 2
/** Shorter names are near to those of other programs. */
const MIN_LENGTH = 7

/**
 * Sentences about variables that somebody may take for settings and that have no effect: removed settings, and variables of `.env` whose
 * first word begins the name of a setting, such as `RPC_URL`. Outside of `.env` a variable may be meant for another program. So only
 * names that differ from a setting by one or two letters are reported, and only if the setting itself is not set.
 *
 * @throws as `readDotEnv`
 */
export function findIdleVariables(env: Environment, { cwd, readFile = readUtf8 }: IdleVariablesOptions): readonly string[] {
  const file = readDotEnv(cwd, readFile)
  const settings = Object.keys(SETTINGS)
  const isAlike = (name: string) => settings.some(setting => setting.startsWith(name.toUpperCase().replace(/_.*/, '')))
  const removed = Object.entries(REMOVED).filter(([name]) => (env[name] ?? file[name] ?? '').trim() !== '')
  const unknown = Object.keys(file)
    .filter(name => !(name in SETTINGS || name in REMOVED) && isAlike(name))
    .toSorted()
  const isSet = (name: string) => (env[name] ?? file[name] ?? '').trim() !== ''
  const misspelt = Object.keys(env)
    .filter(name => !(name in SETTINGS || name in REMOVED || name in file) && name.length >= MIN_LENGTH)
    .filter(name => isSet(name) && !isSet(nearestName(name, settings, MAX_CHANGES) ?? name))
    .toSorted()
  const meant = (name: string) => {
    const nearest = nearestName(name, settings, MAX_CHANGES)
    return nearest === null ? '' : `; did you mean ${nearest}?`
  }
  return [
    ...removed.map(([name, instead]) => `${name} is no setting any more: ${instead}`),
    ...unknown.map(name => `${name} in .env is no setting${meant(name)}`),
    ...misspelt.map(name => `${name} is no setting${meant(name)}`),
  ]
}

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'

export interface ComposedService {
  readonly image: string
  readonly restart?: string
  readonly environment?: Readonly<Record<string, string | number>>
  readonly command?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: object
}

export const COMPOSE_FOLDER = path.resolve('deploy/compose')

/** The text of `compose.yaml`. */
export const composeText = await readFile(path.join(COMPOSE_FOLDER, 'compose.yaml'), 'utf8')

/** `.env.example` with something for what it leaves open. */
export const FILLED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(parseEnv(await readFile(path.join(COMPOSE_FOLDER, '.env.example'), 'utf8'))).map(([name, value = '']) => [
    name,
    value === '' ? `${name.toLowerCase()}1` : value,
  ]),
)

/** What compose makes of its file and an `.env`. */
export function readComposed(variables: Readonly<Record<string, string>>) {
  return parse(
    composeText.replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => variables[name] ?? ''),
    { merge: true },
  ) as {
    readonly services: Readonly<Record<string, ComposedService>>
    readonly volumes: object
  }
}

/** Whether a service runs the image of this repository. */
export const isOurs = ({ image }: ComposedService) => image.startsWith('tokenwire:')

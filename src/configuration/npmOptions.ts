import process from 'node:process'

interface Given {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Whether the arguments make no sense as they are: npm may have dropped one without a trace. */
  readonly isWrong?: boolean
}

/**
 * Why a command lacks options that were given: without `--` before them, npm takes them for its own, and passes on at most their values.
 *
 * @param names the command's options
 * @param example how they are given
 * @returns `null`: npm has taken none of them
 */
export function takenByNpm(
  names: readonly string[],
  example: string,
  { args = process.argv.slice(2), env = process.env, isWrong = false }: Given = {},
): string | null {
  const isGiven = (name: string) => args.some(arg => arg === `--${name}` || arg.startsWith(`--${name}=`))
  // npm completes names: `--to` is its `--token-description`.
  const isTaken = (name: string) => Object.keys(env).some(key => key.startsWith(`npm_config_${name.replaceAll('-', '_')}`))
  const taken = names.filter(name => !isGiven(name) && isTaken(name))
  const remedy = `write -- before the arguments, such as ${example}`
  if (taken.length > 0) return `npm has taken ${taken.map(name => `--${name}`).join(', ')} for an option of its own: ${remedy}`
  // It completes `--format` to an option that takes no such value, and drops it.
  const isDropped = isWrong && env['npm_lifecycle_event'] !== undefined && args.length > 1 && !args.some(arg => arg.startsWith('-'))
  return isDropped ? `if options were given, npm has taken them for its own: ${remedy}` : null
}

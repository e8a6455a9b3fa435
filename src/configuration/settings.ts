/** The environment as text by name: the process's own variables over those of `.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly because?: string }

/** How one variable is read. */
export interface Setting<T> {
  /** Completes "NAME: expected …". */
  readonly expected: string
  readonly parse: (text: string) => Parsed<T>
  /** The text may hold a credential and is not repeated in messages. */
  readonly secret?: boolean
}

export const accept = <T>(value: T): Parsed<T> => ({ ok: true, value })
export const refuse = (because?: string): Parsed<never> => (because === undefined ? { ok: false } : { ok: false, because })

/** Reads variables one by one and collects what is wrong with them, so that the user learns of all of it at once. */
export interface SettingReader {
  /** The parsed value; `fallback` when the variable is unset or blank, and also when it is wrong, which `problems` then says. */
  optional<T>(name: string, setting: Setting<T>, fallback: T): T
  optional<T>(name: string, setting: Setting<T>, fallback: null): T | null
  /** As `optional`, but an unset or blank variable is a problem too. */
  required<T>(name: string, setting: Setting<T>, fallback: T): T
  refuse(problem: string): void
  readonly problems: readonly string[]
}

export function createSettingReader(environment: Environment): SettingReader {
  const problems: string[] = []
  const read = <T>(name: string, setting: Setting<T>, fallback: T, required: boolean): T => {
    const text = environment[name]?.trim() ?? ''
    if (text === '') {
      if (required) problems.push(`${name}: missing, expected ${setting.expected}`)
      return fallback
    }
    const parsed = setting.parse(text)
    if (parsed.ok) return parsed.value
    problems.push(`${name}: expected ${setting.expected}${objection(setting, text, parsed.because)}`)
    return fallback
  }
  return {
    optional: <T>(name: string, setting: Setting<T>, fallback: T) => read(name, setting, fallback, false),
    required: (name, setting, fallback) => read(name, setting, fallback, true),
    refuse: problem => void problems.push(problem),
    problems,
  }
}

function objection<T>(setting: Setting<T>, text: string, because: string | undefined): string {
  if (because !== undefined) return `, but ${because}`
  return setting.secret === true ? '' : `, got ${quote(text)}`
}

/** The value as JSON, short enough for a message. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

export function wholeNumber(least: number, most: number): Setting<number> {
  return {
    expected: `a whole number from ${least} to ${most}`,
    parse: text => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return value >= least && value <= most ? accept(value) : refuse()
    },
  }
}

export function oneOf<const T extends string>(words: readonly T[]): Setting<T> {
  return {
    expected: `one of ${words.join(', ')}`,
    parse: text => {
      const word = words.find(candidate => candidate === text.toLowerCase())
      return word === undefined ? refuse() : accept(word)
    },
  }
}

export const flag: Setting<boolean> = {
  expected: 'true or false',
  parse: text => {
    const word = text.toLowerCase()
    return word === 'true' || word === 'false' ? accept(word === 'true') : refuse()
  },
}

/** Any text. */
export const anyText: Setting<string> = { expected: 'text', parse: accept }

/** A credential that travels in a header: one word of visible ASCII characters. */
export const secretWord: Setting<string> = {
  expected: 'one word of visible ASCII characters',
  parse: text => (/^[!-~]+$/.test(text) ? accept(text) : refuse()),
  secret: true,
}

/** The entries of a comma list, blanks left out. */
export function commaList(text: string): readonly string[] {
  return text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

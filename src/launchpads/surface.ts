import { toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { cleanLabel, TEXT_LIMITS } from '#domain/text.ts'

/* What a launch says of the front end that made it, as it is stored: in lower case, so that a filter finds each spelling. */

/** Real contexts have some hundred characters. */
const MAX_CONTEXT = 8_192

/** The `interface` of Clanker's context, a JSON object; else its `platform`. `null`: it has neither. */
export function surfaceOfContext(context: string): string | null {
  const named = context.length > MAX_CONTEXT ? null : parsed(context)
  if (typeof named !== 'object' || named === null) return null
  const label = (text: unknown) => (typeof text === 'string' ? cleanLabel(text.toLowerCase(), TEXT_LIMITS.surface) : null)
  return label(Reflect.get(named, 'interface')) ?? label(Reflect.get(named, 'platform'))
}

/** The address of Zora's platform referrer; `null` for the zero address. */
export function surfaceOfReferrer(platformReferrer: string): string | null {
  const referrer = toAddress(platformReferrer)
  return referrer === ZERO_ADDRESS ? null : referrer
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Anyone may write anything there.
    return null
  }
}

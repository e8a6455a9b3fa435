import type { Random } from './random.ts'

const WORDS =
  'pepe doge inu ai moon cat elon shib baby base wow chad frog based meme turbo king mog wif ape bonk coin degen punk rocket gold pump trump bull panda ' +
  'dragon tiger ninja wizard alien robot ghost pixel laser magic cosmic solar lunar cyber hyper mega ultra super giga nano quantum neon retro vapor disco'
const COMMON = WORDS.split(' ')
const SYLLABLES = 'ba be bi bo ka ke ko ku la le li lo ma mi mo na ne no pa po ra re ri ro sa so ta te to va vi xo ya yo za zu'.split(' ')

/** A token's symbol and name: often a common word, sometimes empty. */
export function nameOf(random: Random): { readonly symbol: string | null; readonly name: string | null } {
  if (random.chance(0.004)) return { symbol: null, name: null }
  const first = word(random)
  if (random.chance(0.35)) return { symbol: first.toUpperCase(), name: capitals(first) }
  const second = random.chance(0.5) ? word(random) : random.chance(0.5) ? String(random.integer(1, 9_999)) : invented(random)
  const symbol = random.chance(0.5) ? `${first}${second}` : invented(random)
  return { symbol: symbol.slice(0, 12).toUpperCase(), name: `${capitals(first)} ${capitals(second)}` }
}

function word(random: Random): string {
  if (random.chance(0.3)) return invented(random)
  return COMMON[Math.floor(COMMON.length * random.unit() ** 2.5)] ?? 'pepe'
}

function invented(random: Random): string {
  let text = ''
  for (let left = random.integer(2, 4); left > 0; left--) text += SYLLABLES[random.integer(0, SYLLABLES.length - 1)] ?? ''
  return text
}

function capitals(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

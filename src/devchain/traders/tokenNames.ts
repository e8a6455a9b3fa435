import type { Random } from './random.ts'

export interface TokenName {
  readonly name: string
  readonly symbol: string
  readonly metadataUri: string
}

const ADJECTIVES = ['Lucky', 'Tiny', 'Grumpy', 'Electric', 'Velvet', 'Cosmic', 'Sleepy', 'Golden', 'Quantum', 'Rusty', 'Polite', 'Feral']
const NOUNS = ['Otter', 'Walrus', 'Teapot', 'Comet', 'Badger', 'Lantern', 'Pigeon', 'Anvil', 'Mango', 'Turnip', 'Harbor', 'Goblin', 'Yak']

/** Names as real creators write them, which every reader of the chain has to handle. */
const ODD: readonly (readonly [name: string, symbol: string])[] = [
  ['Übergrößen-Tüte', 'ÜBER'],
  ['寿司トークン', '寿司'],
  ['Кот в мешке', 'КОТ'],
  ['عملة الصقر', 'صقر'],
  ['🐸 Frog of the Day 🐸', '🐸'],
  ['👩‍👩‍👧‍👦 Family', '👩‍👩‍👧‍👦'],
  ['Z̵a̷l̸g̴o̵ H̶e̸ C̷o̶m̴e̵s̶', 'ZALGO'],
  ['<b onmouseover="alert(1)">bold</b>', '<b>'],
  ["Robert'); DROP TABLE tokens;--", 'BOBBY'],
  ['"quoted" \\ back\nnew line\ttab', '"\\"'],
  ['\u202Etxt.exe safe\u202C', 'BIDI'],
  ['zero\u200Bwidth\u200Djoin', 'ZW\u200BJ'],
  [' ', ''],
  [`Long${' and longer'.repeat(60)}`, 'L'.repeat(120)],
]

/** Usually two plain words, sometimes an odd name. */
export function drawTokenName(random: Random): TokenName {
  const metadataUri = drawMetadataUri(random)
  if (random.chance(0.18)) {
    const [name, symbol] = random.pick(ODD)
    return { name, symbol, metadataUri }
  }
  const noun = random.pick(NOUNS)
  const name = `${random.pick(ADJECTIVES)} ${noun}${random.chance(0.2) ? ` ${random.integer(2, 99)}` : ''}`
  return { name, symbol: noun.slice(0, random.integer(3, 5)).toUpperCase(), metadataUri }
}

function drawMetadataUri(random: Random): string {
  const digits = Array.from({ length: 32 }, () => random.integer(0, 15).toString(16)).join('')
  switch (random.weighted([6, 2, 1, 1])) {
    case 0:
      return `ipfs://bafkrei${digits}`
    case 1:
      return `https://metadata.example/${digits}.json`
    case 2:
      return `data:application/json,${encodeURIComponent(JSON.stringify({ description: `token ${digits}` }))}`
    default:
      return ''
  }
}

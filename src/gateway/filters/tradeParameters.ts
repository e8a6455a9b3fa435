import { MAX_UNIX_SECONDS } from '#gateway/http/cursor.ts'
import {
  addressParameter,
  decimalParameter,
  integerParameter,
  listParameter,
  pageParameters,
  textParameter,
  wordParameter,
} from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, quote } from '#gateway/http/problem.ts'

const blockNumber = integerParameter(0, Number.MAX_SAFE_INTEGER)
export const unixSeconds = integerParameter(0, MAX_UNIX_SECONDS, ' (Unix seconds)')

/** Parameters of every list of trades. */
export const TRADE_PARAMETERS = {
  side: wordParameter(['buy', 'sell']).exactOptional().describe('Only buys, or only sells.'),
  minWeth: decimalParameter.exactOptional().describe('Only trades of at least this amount of WETH, fee included.'),
  fromBlock: blockNumber.exactOptional().describe('Number of the first block, inclusive.'),
  toBlock: blockNumber.exactOptional().describe('Number of the last block, inclusive.'),
  from: unixSeconds.exactOptional().describe('Earliest block time in Unix seconds, inclusive.'),
  to: unixSeconds.exactOptional().describe('Latest block time in Unix seconds, inclusive.'),
  order: wordParameter(['asc', 'desc']).default('desc').describe('`desc`: newest first.'),
  ...pageParameters({ max: 500, default: 50 }),
}

/** Further parameters of lists of trades over many tokens. */
export const MARKET_TRADE_PARAMETERS = {
  tokens: listParameter(addressParameter, 100, 'addresses (0x and 40 hex digits)').exactOptional().describe('Only trades of these tokens.'),
  launchpad: launchpadParameter().exactOptional().describe('Only trades of tokens of these launchpads.'),
  after: textParameter(40)
    .exactOptional()
    .describe('Only trades after this place: `<block>-<logIndex>`, the `id` of a trade. Needs `order=asc`.'),
}

export function launchpadParameter() {
  return listParameter(textParameter(64), 20, 'names of launchpads')
}

interface Bounds {
  readonly fromBlock?: number
  readonly toBlock?: number
  readonly from?: number
  readonly to?: number
}

/** The problem of bounds that are valid one by one but contradict each other; `null`: none. */
export function problemOfBounds({
  fromBlock = 0,
  toBlock = Number.MAX_SAFE_INTEGER,
  from = 0,
  to = MAX_UNIX_SECONDS,
}: Bounds): Problem | null {
  if (fromBlock > toBlock) return invalidParameter(`fromBlock must not be above toBlock, got ${fromBlock} and ${toBlock}`)
  if (from > to) return invalidParameter(`from must not be after to, got ${from} and ${to}`)
  return null
}

export function problemOfLaunchpads(
  given: readonly string[] | undefined,
  known: readonly { readonly name: string }[],
  parameter = 'launchpad',
): Problem | null {
  const unknown = given?.find(name => !known.some(launchpad => launchpad.name === name))
  if (unknown === undefined) return null
  return invalidParameter(`${parameter} must be of ${known.map(({ name }) => name).join(', ')}, got ${quote(unknown)}`)
}

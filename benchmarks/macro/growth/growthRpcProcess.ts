import { startGrowthRpc } from './growthRpc.ts'
import { SCALES } from './scale.ts'
import { tradedTokens } from './tradedTokens.ts'

/* The provider in a process of its own, so that making blocks does not hold up the clients. Argument: `GrowthRpcPlan` as JSON. */
const { scale: name, tokens, ...plan } = JSON.parse(process.argv[2] ?? '') as GrowthRpcPlan
const scale = SCALES.find(one => one.name === name)
if (scale === undefined) throw new Error(`no scale ${name}`)
process.on('disconnect', () => process.exit(0))
const rpc = await startGrowthRpc({ ...plan, scale, tokens: tradedTokens(scale, tokens) })
process.on('message', () => rpc.stopBlocks())
process.send?.(rpc.url)

export interface GrowthRpcPlan {
  /** Its name. */
  readonly scale: string
  readonly from: number
  /** The number of tokens that are traded. */
  readonly tokens: number
  readonly tradesPerBlock: number
  readonly everyMs: number
}

import { backfill } from './backfill.ts'
import { blockToSocket } from './blockToSocket.ts'
import { commit } from './commit.ts'
import type { HotPath } from './hotPath.ts'
import { hotToken } from './hotToken.ts'
import { list } from './list.ts'
import { market, marketDeltas } from './market.ts'

export const HOT_PATHS: readonly HotPath[] = [hotToken, market, marketDeltas, list, backfill, commit, blockToSocket]

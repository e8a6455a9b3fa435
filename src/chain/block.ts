export type { BlockHeader, ChainLog } from '#domain/block.ts'

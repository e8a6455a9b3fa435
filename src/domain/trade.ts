export const TRADE_SIDES = ['buy', 'sell'] as const
export type TradeSide = (typeof TRADE_SIDES)[number]
export type TradePhase = 'curve' | 'pool'

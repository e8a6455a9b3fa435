/*
 * Square roots of prices as Uniswap v3 and v4 keep them, in 2^-96: at a tick the root is that of 1.0001^tick, with the roundings of the
 * contracts (TickMath.sol), so that it equals theirs to the last bit.
 */

export const MAX_TICK = 887_272

const ONE = 1n << 128n
const LARGEST = (1n << 256n) - 1n
/** More digits than are kept, since squaring doubles errors. */
const PRECISION = 512n

/** 1.0001^(-2^n / 2) in 2^-128, rounded to the nearest: a factor for each binary digit of a tick. */
const FACTORS = factors()

function factors(): readonly bigint[] {
  let power = squareRoot((10_000n << (2n * PRECISION)) / 10_001n)
  return Array.from({ length: MAX_TICK.toString(2).length }, () => {
    const factor = (power + (1n << (PRECISION - 129n))) >> (PRECISION - 128n)
    power = (power * power) >> PRECISION
    return factor
  })
}

function squareRoot(square: bigint): bigint {
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + square / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** @param tick a whole number from -`MAX_TICK` to `MAX_TICK` */
export function sqrtPriceAtTick(tick: number): bigint {
  const digits = Math.abs(tick)
  let root = ONE
  for (const [digit, factor] of FACTORS.entries()) if ((digits & (1 << digit)) !== 0) root = (root * factor) >> 128n
  if (tick > 0) root = LARGEST / root
  return (root + 0xff_ff_ff_ffn) >> 32n
}

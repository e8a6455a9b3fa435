import type { Hex } from '#domain/address.ts'
import type { BlockCalls, CallAnswer, ContractCall } from '#domain/contractCall.ts'
import { HEX } from '#rpc/answerFields.ts'
import { callAtBlock } from '#rpc/callAtBlock.ts'
import type { Rpc, RpcProvider } from '#rpc/rpc.ts'
import { runAt } from '#rpc/rpcCalls.ts'
import { faultSentence, garbled, RpcError, type RpcFault } from '#rpc/rpcFault.ts'

/** Four answers of 6,016 bytes are less than the 24,576 bytes that creation code may return (EIP-170). */
export const MAX_CALLS_PER_RUN = 4

/**
 * `ReadCalls.yul`, compiled. With calls appended it returns what each of them returns. The program itself never fails, so that a refusal
 * always is the provider's, in whatever words, and never is taken for that of a token.
 */
export const READ_CALLS: Hex =
  '0x610800607a5b388110601657506107ff1901610800f35b9060209060168360003960008080519481601661ffff8860501c16838183819601853901019660601c6207a120fa903d9161178083116071575b156066578181528160008483013e015b01906005565b600019815290506060565b6117809250605056'

const WORD = 64
const FAILED = 'f'.repeat(WORD)

/**
 * What contracts return at the end of a block, in the order of the calls: the same whenever it is asked, but for optional calls.
 *
 * @throws `RpcError` when no provider answers, or none has the state of the block and runs code that is not deployed, unless all of the
 *   calls of a run are optional
 */
export async function fetchCallAnswers(
  rpc: Pick<Rpc, 'ask' | 'askEach'>,
  block: BlockCalls,
  optional: OptionalCalls,
): Promise<readonly CallAnswer[]> {
  const answers: CallAnswer[] = []
  for (let at = 0, to = 0; at < block.calls.length; at = to) {
    const isOptional = block.calls[at]?.isOptional
    while (to < block.calls.length && to - at < MAX_CALLS_PER_RUN && block.calls[to]?.isOptional === isOptional) to++
    answers.push(...(await run(rpc, { ...block, calls: block.calls.slice(at, to) }, optional)))
  }
  return answers
}

/** How optional calls have fared with all providers. */
interface OptionalCalls {
  /** Refusals since the last answer. */
  refusals: number
}

/** A state that is gone is refused each time. The first refusals may be of a provider in trouble, and are waited for. */
const REFUSALS_BELIEVED = 3

type Outcome = readonly CallAnswer[] | RpcFault

async function run(rpc: Pick<Rpc, 'ask' | 'askEach'>, block: BlockCalls, optional: OptionalCalls): Promise<readonly CallAnswer[]> {
  const question = (provider: RpcProvider) => askProvider(provider, block)
  const first = await rpc.ask(question)
  // Nodes without the states of old blocks are none the worse for the rest.
  const answer = isAnswer(first) ? first : (await rpc.askEach(question)).find(isAnswer)
  const isOptional = block.calls.every(call => call.isOptional)
  if (isOptional) optional.refusals = answer === undefined ? optional.refusals + 1 : 0
  if (answer !== undefined) return answer
  if (isOptional && optional.refusals >= REFUSALS_BELIEVED) return block.calls.map(() => null)
  const text = `no provider runs calls on the state of block ${block.number}: ${faultSentence(first as RpcFault)}`
  throw new RpcError({ kind: 'node', code: 0, text })
}

async function askProvider(provider: RpcProvider, { calls, ...block }: BlockCalls): Promise<Outcome> {
  const answer = await callAtBlock(provider, block, runAt(block.number, `${READ_CALLS}${calls.map(encode).join('')}`))
  return answer.kind === 'refusal' ? answer.fault : parse(answer.value, calls.length)
}

function isAnswer(outcome: Outcome): outcome is readonly CallAnswer[] {
  return Array.isArray(outcome)
}

function encode({ to, data }: ContractCall): string {
  const digits = data.slice(2)
  return `${to.slice(2)}${(digits.length / 2).toString(16).padStart(4, '0')}${digits}`
}

function parse(value: unknown, count: number): readonly CallAnswer[] {
  const digits = typeof value === 'string' && HEX.bytes.test(value) ? value.slice(2).toLowerCase() : ''
  const answers: CallAnswer[] = []
  let at = 0
  for (; answers.length < count; at += WORD) {
    const word = digits.slice(at, at + WORD)
    if (word.length < WORD) throw garbled(`not the answers of ${count} calls`)
    if (word === FAILED) {
      answers.push(null)
      continue
    }
    const end = at + WORD + 2 * Number(`0x${word}`)
    answers.push(`0x${digits.slice(at + WORD, end)}`)
    at = end - WORD
  }
  if (at !== digits.length) throw garbled(`not the answers of ${count} calls`)
  return answers
}

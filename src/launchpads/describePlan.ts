import { abbreviate } from '#domain/abbreviate.ts'
import type { ChangedField, LaunchpadStep, LaunchpadsPlan } from './planLaunchpads.ts'

/** A plan as one line per entry, for people. Blocks are counted up to `head`, where it is known. */
export function describePlan({ steps, repegged }: Pick<LaunchpadsPlan, 'steps' | 'repegged'>, head: number | null): readonly string[] {
  const pegs = repegged.length === 0 ? [] : [`pegUsd: changed for ${repegged.join(', ')}`]
  return [...steps.map(step => `${step.name}: ${describeStep(step, head)}`), ...pegs]
}

/** As `describePlan`, without what stays as it is. */
export function describeChanges({ steps, repegged }: Pick<LaunchpadsPlan, 'steps' | 'repegged'>, head: number | null): readonly string[] {
  return describePlan({ steps: steps.filter(({ kind }) => kind !== 'unchanged'), repegged }, head)
}

function describeStep(step: LaunchpadStep, head: number | null): string {
  switch (step.kind) {
    case 'unchanged':
      return 'unchanged'
    case 'added':
      return `added${blocksFrom(step.fromBlock, head)}`
    case 'earlier':
      return `begins earlier than block ${step.wasFrom}, rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'changed':
      return `changed (${step.fields.map(describeField).join(', ')}), rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'revalued':
      return `valued otherwise (in ${step.currencies.join(', ')}), rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'rebuilt':
      return `rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'removed':
      return 'removed'
  }
}

function describeField({ name, was, is }: ChangedField): string {
  if (was === undefined) return `${name} is ${abbreviate(is)}`
  return is === undefined ? `${name} was ${abbreviate(was)}` : `${name} was ${abbreviate(was)}, is ${abbreviate(is)}`
}

function blocksFrom(from: number, head: number | null): string {
  return head === null ? ` from block ${from}` : ` from block ${from}, ${Math.max(0, head - from + 1)} blocks`
}

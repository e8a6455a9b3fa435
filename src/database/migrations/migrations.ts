import { Migration0001Initial } from './Migration0001Initial.ts'
import { Migration0002Reorgs } from './Migration0002Reorgs.ts'
import { Migration0003ClaimId } from './Migration0003ClaimId.ts'

/** Every migration in the order in which they run. Published ones are never edited: a change is a new one at the end. */
export const MIGRATIONS = [Migration0001Initial, Migration0002Reorgs, Migration0003ClaimId]

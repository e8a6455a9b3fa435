import type { ActorState } from '#domain/health.ts'
import { actorStateShape, integerShape } from './resourceShapes.ts'
import { listOf, nullable, object, type Shape, string } from './shape.ts'
import type { ListPage } from './tokenwire.ts'

/** Of a page of such items. */
export const pageShape = <T>(item: Shape<T>): Shape<ListPage<T>> =>
  object({ data: listOf(item), nextCursor: nullable(string), asOfBlock: nullable(integerShape) })

/** It is no chain data, and has no block. */
export const actorListShape: Shape<Omit<ListPage<ActorState>, 'asOfBlock'>> = object({
  data: listOf(actorStateShape),
  nextCursor: nullable(string),
})

import type { ListPage, OperatorPage } from '#client/tokenwire.ts'
import { integerShape } from './resourceShapes.ts'
import { listOf, nullable, object, type Shape, string } from './shape.ts'

/** Of a page of such items. */
export const pageShape = <T>(item: Shape<T>): Shape<ListPage<T>> =>
  object({ data: listOf(item), nextCursor: nullable(string), asOfBlock: nullable(integerShape) })

/** Of a page of what operators see. It is no chain data, and has no block. */
export const operatorPageShape = <T>(item: Shape<T>): Shape<OperatorPage<T>> => object({ data: listOf(item), nextCursor: nullable(string) })

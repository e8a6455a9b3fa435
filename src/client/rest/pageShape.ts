import type { ListPage, OperatorPage } from '#client/tokenwire.ts'
import { integerShape } from './resourceShapes.ts'
import { listOf, nullable, object, type Shape, string } from './shape.ts'

/** The shape of a page of items. */
export const pageShape = <T>(item: Shape<T>): Shape<ListPage<T>> =>
  object({ data: listOf(item), nextCursor: nullable(string), asOfBlock: nullable(integerShape) })

/** The shape of a page of operator data, which has no `asOfBlock`. */
export const operatorPageShape = <T>(item: Shape<T>): Shape<OperatorPage<T>> => object({ data: listOf(item), nextCursor: nullable(string) })

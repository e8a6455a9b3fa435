import type { ListPage, OperatorPage } from './calls.ts'
import { listOf, nullable, object, pattern, type Shape, string } from './shape.ts'

/** The shape of a page of items. */
export const pageShape = <T>(item: Shape<T>): Shape<ListPage<T>> =>
  object({ data: listOf(item), nextCursor: nullable(string), asOfBlock: nullable(pattern(/^(?:0|[1-9][0-9]*)$/)) })

/** The shape of a page of operator data, which has no `asOfBlock`. */
export const operatorPageShape = <T>(item: Shape<T>): Shape<OperatorPage<T>> => object({ data: listOf(item), nextCursor: nullable(string) })

import { listOf, nullable, object, type Shape, string } from './shape.ts'
import type { ListPage } from './tokenwire.ts'

/** Of a page of such items. */
export const pageShape = <T>(item: Shape<T>): Shape<ListPage<T>> => object({ data: listOf(item), nextCursor: nullable(string) })

import { expect, test } from 'vitest'
import { entityTag, noneMatchNames } from '#gateway/http/answer.ts'

test('the same bytes have the same tag, others another', () => {
  expect(entityTag('{}')).toBe(entityTag('{}'))
  expect(entityTag('{}')).not.toBe(entityTag('{ }'))
})

test.for(['"a"', 'W/"a"', '"b", "a"', '"b",W/"a" ,"c"', '*', ' * '])('If-None-Match: %s names "a"', header => {
  expect(noneMatchNames(header, '"a"')).toBe(true)
})

test.for(['', '"b"', 'a', '"a', '"aa"', '"*"', 'W/"b"', '"b" "c"'])('If-None-Match: %s does not name "a"', header => {
  expect(noneMatchNames(header, '"a"')).toBe(false)
})

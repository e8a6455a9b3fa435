import { expect, it } from 'vitest'
import { ROUTES } from '#benchmarks/growth/routes.ts'
import { readOpenApi } from '#test/support/describedAnswers.ts'

/** What reads no table, and what a process tells of itself. */
const WITHOUT_TABLES =
  /^\/(healthz|readyz|metrics|realtime|openapi\.json|asyncapi\.json|llms\.txt|docs(\/.*)?|udf\/(config|time)|api\/usage|api\/indexer\/health\/.*)$/

it('the growth benchmark asks for every route that reads tables', () => {
  const described = Object.keys(readOpenApi().paths).filter(path => !WITHOUT_TABLES.test(path))
  const asked = ROUTES.map(({ route }) => route.split(',')[0]?.replace(/<(\w+)>/, '{$1}'))
  expect(new Set(asked)).toEqual(new Set(described))
})

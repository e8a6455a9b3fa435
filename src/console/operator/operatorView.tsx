import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { createOperator } from '#console/state/operator.ts'
import { client } from '#console/state/session.ts'
import { Actors } from './actors.tsx'
import { HealthCards } from './healthCards.tsx'
import { Processes } from './processes.tsx'
import { TokenForm } from './tokenForm.tsx'

/** Kept while the page is open, so that a visit to the market does not ask for it again. A reload forgets it. */
const operatorToken = signal<string | null>(null)

export function OperatorView() {
  const operator = useMemo(() => createOperator(client, operatorToken), [])
  useEffect(() => {
    document.title = 'Operator · Tokenwire'
    return () => operator.stop()
  }, [operator])
  const access = operator.access.value
  return (
    <>
      <h1 class="sr-only">Operator</h1>
      <HealthCards process={operator.process.value} />
      {access === 'open' || access === 'unknown' ? (
        <>
          {operator.processes.value === null ? null : <Processes processes={operator.processes.value} />}
          <Actors operator={operator} canForget={operatorToken.value !== null} />
        </>
      ) : (
        <TokenForm access={access} onToken={token => operator.setToken(token)} />
      )}
    </>
  )
}

import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Notice } from '#console/parts/notice.tsx'
import { createOperator } from '#console/state/operator.ts'
import { client, health, healthHistory } from '#console/state/session.ts'
import { Actors } from './actors.tsx'
import { HealthCards } from './healthCards.tsx'
import { LastHour } from './lastHour.tsx'
import { Processes } from './processes.tsx'
import { TokenForm } from './tokenForm.tsx'
import { Words } from './words.tsx'
import '#console/style/operator.css'

/** Kept while the page is open, so that a visit to the market does not ask for it again. A reload forgets it. */
const operatorToken = signal<string | null>(null)

export function OperatorView() {
  const operator = useMemo(() => createOperator(client, operatorToken), [])
  useEffect(() => {
    document.title = 'Operator · Tokenwire'
    const stopFollowing = operator.process.subscribe(process => healthHistory.memory(process?.residentBytes ?? null))
    return () => {
      stopFollowing()
      operator.stop()
    }
  }, [operator])
  const access = operator.access.value
  const { value, failure } = health.state.value
  const isLoading = access === 'unknown' || (access === 'open' && operator.actors.value === null && operator.failure.value === null)
  return (
    <div class="operator">
      <h1 class="sr-only">Operator</h1>
      <HealthCards process={operator.process.value} />
      {/* What is drawn before something above it would be pushed down. */}
      {value === null && failure === null ? null : (
        <>
          <LastHour />
          {isLoading ? (
            <Notice title={operator.failure.value ?? 'Loading'} />
          ) : access === 'open' ? (
            <>
              {operator.processes.value === null ? null : <Processes processes={operator.processes.value} />}
              <Actors operator={operator} canForget={operatorToken.value !== null} />
            </>
          ) : (
            <TokenForm access={access} onToken={token => operator.setToken(token)} />
          )}
          {isLoading ? null : <Words />}
        </>
      )}
    </div>
  )
}

import { defer, Observable, type ObservableInput, type OperatorFunction } from 'rxjs'

/**
 * Like `exhaustMap`, but values that come while one is being worked on are not lost: together they cause one more round, with the newest.
 * Nothing queues up, and what was current at the last value is always seen.
 */
export function conflateMap<T, R>(project: (value: T) => ObservableInput<R>): OperatorFunction<T, R> {
  return source =>
    new Observable<R>(subscriber => {
      let waiting: { readonly value: T } | null = null
      let busy = false
      let sourceDone = false

      const run = (value: T) => {
        busy = true
        subscriber.add(
          defer(() => project(value)).subscribe({
            next: result => subscriber.next(result),
            error: (error: unknown) => subscriber.error(error),
            complete: () => {
              busy = false
              const next = waiting
              waiting = null
              if (next !== null) run(next.value)
              else if (sourceDone) subscriber.complete()
            },
          }),
        )
      }

      subscriber.add(
        source.subscribe({
          next: value => {
            if (busy) waiting = { value }
            else run(value)
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            sourceDone = true
            if (!busy) subscriber.complete()
          },
        }),
      )
    })
}

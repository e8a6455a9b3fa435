/** A process ended that should not have. The run ends with this exit code. */
export class PartEnded extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A promise that rejects after the event, and never resolves. Its rejection may go unhandled. */
export function rejectWhen<T>(event: Promise<T>, error: (value: T) => Error): Promise<never> {
  const rejecting = event.then(value => Promise.reject(error(value)))
  rejecting.catch(() => undefined)
  return rejecting
}

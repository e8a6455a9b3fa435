/** Calls `run` every `everyMs` ms until the returned function is called. Does not keep the process alive. */
export function repeat(everyMs: number, run: () => void): () => void {
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

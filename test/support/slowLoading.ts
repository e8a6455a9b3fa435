/** Longer than a connection to the database may take to open. */
const LOADING_MS = 6_000

/** Settings of a process that takes six seconds more to load the modules of the gateway, and does nothing else meanwhile. */
export function slowLoading(): Readonly<Record<string, string>> {
  const code = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        if (url.includes('/openGateway')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${LOADING_MS})
        return next(url, context)
      },
    })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

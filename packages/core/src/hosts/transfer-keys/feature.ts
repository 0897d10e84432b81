import { featureOf } from '../../platform/feature.ts'
import { Passwords } from '../../platform/passwords/passwords.ts'
import * as settings from './settings.ts'
import { TransferKeys } from './transfer-keys.ts'
import { TransferMetrics } from './transfer-metrics.ts'
import { transferOperations } from './transfer-operations.ts'

/** Binary logarithm of the cost of a PIN's hash: a guesser has five tries. */
const PIN_LOG_N = 15

/** Keys that open transfers between hosts. */
export const transferKeys = featureOf()({
  settings,
  sql: () => import('./transfer-keys-store-sql.ts'),
  services: (base): { transferKeys: TransferKeys } => {
    const parts = { metrics: new TransferMetrics(base.metrics), pins: new Passwords(PIN_LOG_N) }
    return { transferKeys: new TransferKeys({ ...base, ...base.config.transfers, ...parts }) }
  },
  operations: transferOperations,
  purge: ({ transferKeys }) => transferKeys.purge(),
})

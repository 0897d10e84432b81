import { type Config, readConfig } from '@svc/core'
import { TEST_ENVIRONMENT } from '../test-plane.ts'
import type { Scenario } from './scenario.ts'

/** Between two ticks of a replica. */
export const TICK_MS = 30_000

/** Refused requests of a license in five minutes that are alerted: few, since runs are short. */
export const ALERTED_REFUSALS = 3

const configs = new Map<string, Config>()

/** The settings of a scenario's planes, read once for each kind. */
export function configOf({ leaseSeconds, signed }: Scenario): Config {
  const key = `${leaseSeconds} ${signed}`
  const known = configs.get(key)
  if (known !== undefined) return known
  const { SERVICE_LICENSE_PRIVKEY: privateKey, ...environment } = TEST_ENVIRONMENT
  const signing = signed ? { SERVICE_LICENSE_PRIVKEY: privateKey } : {}
  const seconds = {
    SERVICE_JOB_LEASE_SECONDS: String(leaseSeconds),
    SERVICE_ALERT_REFUSALS: String(ALERTED_REFUSALS),
  }
  const config = readConfig({ ...environment, ...signing, ...seconds })
  configs.set(key, config)
  return config
}

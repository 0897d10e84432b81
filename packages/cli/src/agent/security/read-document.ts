import { readSecuritySettings, type SecuritySettings, settingsDigest } from '@svc/core/adapters'
import { Refused } from './apply.ts'
import type { SecurityDocument } from './attempt.ts'

/**
 * Reads settings and fills in the defaults of this release.
 * @throws Refused
 */
export function readSettings(given: unknown): SecuritySettings {
  try {
    return readSecuritySettings(given)
  } catch (error) {
    const { details = [] } = (error as { data?: { details?: readonly string[] } }).data ?? {}
    throw new Refused(`the settings cannot be read: ${details.join('; ')}`)
  }
}

/**
 * Reads the settings of a document again: anybody may have made them.
 * @throws Refused when they do not fit the digest
 */
export function sameSettings({ settings: given, sha256 }: SecurityDocument): SecuritySettings {
  const settings = readSettings(given)
  if (settingsDigest(settings) === sha256) return settings
  throw new Refused('this agent reads the settings in another way: is it older than the service?')
}

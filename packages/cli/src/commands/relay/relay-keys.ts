import { Problem, readConfig } from '@svc/core'
import { publicKeyTexts, relaySignerOf } from '@svc/core/adapters'
import type { Handler } from '../../program/command-run.ts'

/** Prints the public keys of the settings, joined as `RELAY_VERIFY_KEYS` takes them. */
export const printRelayKeys: Handler<object> = async (run) => {
  const signer = relaySignerOf(readConfig(run.io.env))
  if (signer.status !== 'ready') {
    const detail = 'set SERVICE_RELAY_PRIVKEY or SERVICE_LICENSE_PRIVKEY: svc mint-key makes one'
    throw new Problem('signing-not-configured', { detail })
  }
  const keys = publicKeyTexts(signer.jwks())
  run.print({ keys }, () => `${keys.join(',')}\n`)
}

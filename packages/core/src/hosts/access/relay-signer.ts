import type { Config } from '../../platform/config/config.ts'
import { Signer } from '../../platform/signing/signer.ts'

/** The signer of relay tokens: with a key of its own, or with the other tokens' key. */
export function relaySignerOf({ relay, signing }: Config): Signer {
  const { privateKey } = relay
  if (privateKey === undefined) return new Signer(signing)
  return new Signer({ ...signing, privateKey, setting: 'SERVICE_RELAY_PRIVKEY' })
}

import type { Config } from '../../platform/config/config.ts'
import type { Keyring, SealState, SecretCounts } from '../../platform/secrets/keyring.ts'
import type { Signer } from '../../platform/signing/signer.ts'
import type { NamedCheck } from './system-check.ts'

/** Checks whether tokens can be signed. */
export const signingKeyCheck = (signer: Pick<Signer, 'status' | 'faults'>): NamedCheck => ({
  name: 'signing-key',
  run: () => {
    if (signer.status === 'unset') return { status: 'warn', detail: 'unset' }
    if (signer.status === 'unusable') return { status: 'fail', detail: 'unusable' }
    return signer.faults.length > 0 ? { status: 'warn', detail: 'retired-key-unusable' } : { status: 'ok' }
  },
})

const SECRET_CHARS = 32

/** Checks whether sessions can be signed and survive a restart. */
export const sessionSecretCheck = ({
  sessions: { secrets },
  service,
}: Pick<Config, 'sessions' | 'service'>): NamedCheck => ({
  name: 'session-secret',
  run: () => {
    if (secrets.length === 0) {
      return { status: 'warn', detail: service.production ? 'unset' : 'new-at-each-start' }
    }
    const isShort = secrets.some((secret) => secret.length < SECRET_CHARS)
    return isShort ? { status: 'warn', detail: 'short' } : { status: 'ok' }
  },
})

/** Checks whether stored secrets can be sealed and opened. */
export const dataKeysCheck = (
  keyring: Pick<Keyring, 'isConfigured'>,
  count: () => Promise<readonly SecretCounts[]>,
): NamedCheck => ({
  name: 'data-keys',
  asks: true,
  run: async () => {
    const counts = await count()
    const has = (...states: readonly SealState[]) =>
      counts.some((each) => states.some((state) => each[state] > 0))
    if (has('unreadable')) return { status: 'fail', detail: 'key-missing' }
    if (!keyring.isConfigured) return { status: 'warn', detail: 'unset' }
    return has('older', 'plain') ? { status: 'warn', detail: 'to-rotate' } : { status: 'ok' }
  },
})

/** Checks whether license keys are required, and whether one exists. */
export const licensingCheck = (licenses: {
  readonly mode: string
  areThereKeys(): Promise<boolean>
}): NamedCheck => ({
  name: 'licensing',
  run: async () => {
    if (licenses.mode === 'development') return { status: 'warn', detail: 'development-rules' }
    return (await licenses.areThereKeys()) ? { status: 'ok' } : { status: 'warn', detail: 'no-license' }
  },
})

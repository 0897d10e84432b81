import type { RelayLack } from '../../hosts/access/relay-place.ts'
import type { Config } from '../../platform/config/config.ts'
import type { StorageKind } from '../../platform/storage/storage.ts'
import type { NamedCheck } from './system-check.ts'

/** Checks whether sessions on hosts can be had, and whether both sides of each meet at the same relay. */
export const relayCheck = (
  { relay, faults }: Pick<Config, 'relay' | 'faults'>,
  kind: StorageKind,
  lack: () => RelayLack | undefined,
): NamedCheck => ({
  name: 'relay',
  run: () => {
    if (relay.mode === 'off' && faults.relay === undefined)
      return { status: 'skipped', detail: 'not-configured' }
    if (lack() !== undefined) return { status: 'fail', detail: lack() === 'no-key' ? 'unset' : 'bad-setting' }
    const isShared = relay.mode === 'embedded' && kind === 'postgresql'
    return isShared ? { status: 'warn', detail: 'one-replica' } : { status: 'ok' }
  },
})

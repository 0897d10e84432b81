import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { buildId } from '../build-id.ts'
import { buildTransferKey } from '../transfer-keys/build-transfer-key.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'

type Thing = Required<Pick<ScopedRead, 'of' | 'add'>>
const transferKey: Thing = {
  of: 'license',
  add: async ({ agents, transferKeys }, { licenseId }, now) => {
    for (const fingerprint of ['fp-1', 'fp-2'])
      await agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), now)
    const id = buildId('xfr')
    await transferKeys.add(buildTransferKey({ id, licenseId }), now)
    return id
  },
}

/** The reads of hosts and of what belongs to them, and writes by an id that a caller names. */
export const hostReads: Readonly<Record<string, ScopedRead>> = {
  'transferKeys.list': {
    ...transferKey,
    read: async ({ transferKeys }, scope) => idsOf(await transferKeys.list(scope, 999)),
  },
  'transferKeys.get': {
    ...transferKey,
    read: async ({ transferKeys }, scope, { id }) => idsOf(await transferKeys.get(scope, id)),
  },
  'transferKeys.revoke': {
    ...transferKey,
    read: async ({ transferKeys }, scope, { id }) => idsOf(await transferKeys.revoke(scope, id)),
  },
}

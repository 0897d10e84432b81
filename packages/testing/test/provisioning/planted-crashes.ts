import type { Outbound } from '@svc/core'
import type { OrderMove, ProvisioningStore } from '@svc/core/ports'
import type { CrashSeams } from '../../src/hosts/provisioning/crashes/process-storage.ts'

/** A fault that is planted into the processes of the crash programme. */
export interface PlantedCrash {
  readonly name: string
  /** The first seed that the suite tries for it: the programme itself begins with the first. */
  readonly from?: number
  readonly seams: CrashSeams
}

const store = (change: (store: ProvisioningStore) => Partial<ProvisioningStore>): CrashSeams => ({
  // A proxy has no fields of its own, so that the methods are looked up one by one.
  store: (given) =>
    new Proxy(given, {
      get: (target, name) => Reflect.get(change(target), name) ?? Reflect.get(target, name),
    }),
})
const moving = (change: (move: OrderMove) => OrderMove): CrashSeams =>
  store((given) => ({ move: (move, now) => given.move(change(move), now) }))
const outbound = (request: (given: Outbound) => Outbound['request']): CrashSeams => ({
  outbound: (given) => ({ request: request(given), [Symbol.asyncDispose]: async () => {} }),
})
const NOTHING = Buffer.from(JSON.stringify({ servers: [], droplets: [] }))
const isList = (url: string): boolean => /label_selector|tag_name|[?&]name=/.test(url)

/** Mistakes that the programme has to find. */
export const PLANTED_CRASHES: readonly PlantedCrash[] = [
  {
    name: 'a request that nobody answered is sent again at once',
    seams: outbound((given) => async (url, request) => {
      const answer = await given.request(url, request)
      return answer.ok || request?.method !== 'POST' ? answer : given.request(url, request)
    }),
  },
  {
    name: 'nobody looks for the server before one is asked for',
    seams: outbound(
      (given) => async (url, request) =>
        isList(url)
          ? { ok: true, status: 200, headers: new Headers(), body: NOTHING }
          : given.request(url, request),
    ),
  },
  {
    name: 'a server is not deleted, and the provider is said to have done it',
    seams: outbound(
      (given) => async (url, request) =>
        request?.method === 'DELETE'
          ? { ok: true, status: 200, headers: new Headers(), body: NOTHING }
          : given.request(url, request),
    ),
  },
  {
    name: 'money is free as soon as a host is ready',
    seams: moving((move) => (move.to === 'ready' ? { ...move, releases: true } : move)),
  },
  {
    name: 'money is free as soon as a server is being deleted',
    seams: moving((move) => (move.to === 'waiting_delete' ? { ...move, releases: true } : move)),
  },
  {
    name: 'money is free as soon as an order has failed',
    seams: moving((move) => (move.to === 'failed' ? { ...move, releases: true } : move)),
  },
  {
    name: 'a request is not noted before it is sent',
    seams: store(() => ({ noteCreate: async () => 'sent' })),
  },
  {
    name: 'a request without an answer counts as one that made no server',
    seams: moving((move) =>
      move.change.errorCode === 'create_unknown'
        ? { ...move, change: { ...move.change, createSentAt: null, creates: 'one-less' } }
        : move,
    ),
  },
  // A refusal that is told late takes back the note of another's request, and a second server is asked for.
  {
    name: 'a lost claim may still write',
    from: 436,
    seams: moving((move) => ({ ...move, token: undefined })),
  },
  // This costs calls, and no server: a second request waits longer than a first can take, from any sender.
  {
    name: 'a claim is over as soon as it is made',
    seams: store((given) => ({
      take: (claim, now) => given.take({ ...claim, leaseSeconds: 0 }, now),
      noteCreate: (note, now) => given.noteCreate({ ...note, leaseSeconds: 0 }, now),
    })),
  },
]

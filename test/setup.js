// For every suite: no connection leaves the machine, no test leaves a promised exchange behind, and none asks
// for an exchange that nobody plays.
//
// nock is off until a suite says `nock.activate()`, as the suite of production's addresses does. While it is
// on it stands in for every socket: nothing reaches a real server before the client's first complete request,
// so a slow or broken request, or a server that speaks first, cannot be tested, and each request costs 0.3 ms
// more.
import { Socket } from 'node:net'
import { afterAll, afterEach, expect } from '@jest/globals'
import nock from 'nock'

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[?::1\]?|localhost)(:\d+)?$/
const GUARDED = Symbol.for('svc.test.loopback-only')

nock.restore()
nock.disableNetConnect()
nock.enableNetConnect(LOOPBACK)

// Without nock, every opening of a socket meets this; with it, nock itself refuses. The database of
// DATABASE_URL may stand elsewhere.
const database = new URL(process.env.SVC_TEST_POSTGRES).hostname

function hostOf(args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  if (typeof first === 'object' && first !== null) return first.path ? undefined : first.host
  return typeof second === 'string' ? second : undefined
}

// The worker's sockets are patched once; which nock decides changes with the suite.
if (!Socket.prototype[GUARDED]) {
  const connect = Socket.prototype.connect
  Socket.prototype.connect = function connectOnLoopback(...args) {
    const host = hostOf(args)
    const allowed = host === undefined || host === database || LOOPBACK.test(host)
    if (allowed || Socket.prototype[GUARDED].isActive()) return connect.apply(this, args)
    return this.destroy(new Error(`A test may only connect to this machine, not to ${host}: is nock active?`))
  }
}
Socket.prototype[GUARDED] = nock

// Sockets of played exchanges stay in fetch's pool: the environment must not take them for the suite's own.
function noteUse() {
  globalThis.__svcNockUsed ||= nock.isActive()
}

// An adapter may take an exchange that nothing plays for a far side that is away.
const unplayed = []
nock.emitter.on('no match', ({ method, url, host, path }) => {
  const asked = url ?? `${host}${path}`
  if (nock.isActive() && !LOOPBACK.test(URL.parse(asked)?.host ?? host ?? ''))
    unplayed.push(`${method} ${asked}`)
})

afterEach(() => {
  noteUse()
  const pending = nock.pendingMocks()
  nock.cleanAll()
  expect({ pending, unplayed: unplayed.splice(0) }).toEqual({ pending: [], unplayed: [] })
})

afterAll(() => {
  noteUse()
  nock.restore()
})

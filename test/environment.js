// Node's environment, and the promise that a suite leaves nothing open: a server, socket, child process or
// timer that outlives its suite fails it, by kind, instead of holding up the run.
import { setTimeout as sleep } from 'node:timers/promises'
import { TestEnvironment } from 'jest-environment-node'

/** A busy machine closes connections that a suite has ended within this time. */
const GRACE_MS = 10_000
const LOOK_MS = 20
// Kinds that a suite opens on purpose and must close. Files and one-off requests end by themselves.
const WATCHED = new Set([
  'ChildProcess',
  'FSEventWrap',
  'MessagePort',
  'PipeServerWrap',
  'PipeWrap',
  'ProcessWrap',
  'TCPServerWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'Timeout',
  'UDPWrap',
])

// Node makes these streams on their first use, as an import of `node:process` is. In a worker they are pipes:
// one made during a suite would count as its own.
void [process.stdin, process.stdout, process.stderr]

// Sockets that nock simulates stay in a pool until the process ends.
const PLAYED = new Set(['TCPSocketWrap', 'TLSWrap'])

function open() {
  const counts = new Map()
  for (const kind of process.getActiveResourcesInfo()) {
    if (WATCHED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

function more(now, before) {
  return [...now]
    .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)])
    .filter(([, count]) => count > 0)
}

const spell = (left) => left.map(([kind, count]) => `${count} × ${kind}`).join(', ')

export default class Environment extends TestEnvironment {
  #before = new Map()

  async setup() {
    await super.setup()
    this.#before = open()
  }

  async handleTestEvent(event, state) {
    if (event.name !== 'run_finish') return
    const look = () =>
      more(open(), this.#before).filter(([kind]) => !(this.global.__svcNockUsed && PLAYED.has(kind)))
    let left = look()
    for (let waited = 0; left.length > 0 && waited < GRACE_MS; waited += LOOK_MS) {
      await sleep(LOOK_MS)
      left = look()
    }
    if (left.length === 0) return
    // Recorded, not thrown: the results of the suite's own tests stay visible beside it.
    const fault = new Error(`The suite left open after its last test: ${spell(left)}. Close it.`)
    fault.stack = fault.message
    state.unhandledErrors.push(fault)
  }
}

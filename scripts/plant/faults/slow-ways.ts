import type { Fault } from '../fault.ts'

const SESSION = 'packages/cli/src/relay/relay-session.ts'
const RELAY_METRICS = 'packages/core/src/hosts/access/relay-metrics.ts'
const TRANSFER = 'packages/cli/src/agent/transfer'
const SMTP = 'packages/core/src/outside/smtp/mail-relay-smtp.ts'
const EMAIL = 'packages/core/src/reach/email/smtp/email-delivery.ts'
const RUNNER = 'packages/core/src/platform/deliveries/delivery-runner.ts'
const RELAYED = ['packages/cli/test/relay/slow-ways.test.ts']
const MOVED = ['packages/cli/test/agent/slow-transfer.test.ts']
const MAILED = ['packages/core/test/reach/email/slow-relays.test.ts']
const CALLED = ['packages/core/test/reach/webhooks/slow-receivers.test.ts']

/** Mistakes of time, and leftovers, that show when the other side is far away. */
export const faults: readonly Fault[] = [
  {
    name: 'slow ways: the time of pairing is measured in milliseconds',
    file: SESSION,
    find: '(performance.now() - this.#begunMs) / 1000)\n    this.#recording',
    replace: 'performance.now() - this.#begunMs)\n    this.#recording',
    suites: RELAYED,
  },
  {
    name: 'slow ways: an answer to a sign of life does not count',
    file: SESSION,
    find: "socket.on('pong', () => {\n      side.heardMs = performance.now()",
    replace: "socket.on('pong', () => {",
    suites: RELAYED,
  },
  {
    name: 'slow ways: a relay counts a session for ever',
    file: RELAY_METRICS,
    find: '    this.#open[mode] -= 1\n',
    replace: '',
    suites: RELAYED,
  },
  {
    name: 'slow ways: a session of a transfer stays in use',
    file: `${TRANSFER}/sessions.ts`,
    find: '      found.uses -= 1\n',
    replace: '',
    suites: MOVED,
  },
  {
    name: 'slow ways: a listener that works says nothing',
    file: `${TRANSFER}/listener.ts`,
    find: 'response.writeProcessing()\n',
    replace: 'void response\n',
    suites: MOVED,
  },
  {
    name: 'slow ways: a peer that has left costs a use of its key',
    file: `${TRANSFER}/listener.ts`,
    find: "    if (response.destroyed) throw new Refused(408, 'the peer is gone')\n",
    replace: '',
    suites: MOVED,
  },
  {
    name: 'slow ways: the parts of a release stay beside it',
    file: `${TRANSFER}/release-target.ts`,
    find: '      await remove(releases, this.#parts)\n    })',
    replace: '    })',
    suites: MOVED,
  },
  {
    name: 'slow ways: a mail transaction has no whole time',
    file: SMTP,
    find: 'performance.now() + this.#limits.wholeMs',
    replace: 'performance.now() + 60_000',
    suites: MAILED,
  },
  {
    name: 'slow ways: the silence of a mail relay is not limited',
    file: SMTP,
    find: 'socketTimeout: silenceMs',
    replace: 'socketTimeout: 60_000',
    suites: MAILED,
  },
  {
    name: 'slow ways: a message that nobody took stays under way',
    file: EMAIL,
    find: "progress: { id, state: 'queued'",
    replace: "progress: { id, state: 'sending'",
    suites: MAILED,
  },
  {
    name: 'slow ways: the duration of an attempt is noted in seconds',
    file: RUNNER,
    find: 'Math.round(timers.elapsedMs() - startMs)',
    replace: 'Math.round((timers.elapsedMs() - startMs) / 1000)',
    suites: CALLED,
  },
  {
    name: 'slow ways: the time limit of an attempt is not handed on',
    file: 'packages/core/src/reach/webhooks/webhook-sender.ts',
    find: 'at, body, signal, timeoutMs })',
    replace: 'at, body, signal })',
    suites: CALLED,
  },
  {
    name: 'slow ways: attempts that have ended take up the share of their receiver',
    file: 'packages/core/src/platform/deliveries/in-flight.ts',
    find: '    this.#total -= 1\n',
    replace: '',
    suites: ['packages/core/test/platform/deliveries/delivery-runner.test.ts', ...CALLED],
  },
]

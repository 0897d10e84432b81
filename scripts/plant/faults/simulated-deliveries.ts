import type { Fault } from '../fault.ts'

const RUN = 'packages/core/src/platform/deliveries/delivery-runner.ts'
const CHANNEL = 'packages/core/src/platform/deliveries/webhook-channel-http.ts'
const SENDER = 'packages/core/src/reach/webhooks/webhook-sender.ts'
const DRAIN = 'packages/core/src/reach/webhooks/webhook-deliveries.ts'
const SIMULATOR = 'packages/testing/test/simulator/simulator.test.ts'

/** Faults of the engine that the simulator finds by the promises to receivers. */
export const faults: readonly Fault[] = [
  {
    name: 'simulated deliveries: an attempt makes two requests',
    file: RUN,
    find: 'const outcome = await this.#send(delivery, signal)',
    replace: 'await this.#send(delivery, signal)\n    const outcome = await this.#send(delivery, signal)',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: a retry is made at once',
    file: RUN,
    find: 'delaySeconds: retryDelay(delivery, outcome, this.#sender)',
    replace: 'delaySeconds: 0 * retryDelay(delivery, outcome, this.#sender)',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: no retry is made',
    file: RUN,
    find: 'const maxAttempts = retrySeconds.length + 1',
    replace: 'const maxAttempts = Math.min(1, retrySeconds.length)',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: failures do not reach the breaker',
    file: RUN,
    find: 'undefined : { delivered: isReached, policy, spread }',
    replace: 'undefined : { delivered: true, policy, spread }',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: what a dead replica held stays held',
    file: RUN,
    find: 'export const LEASE_SECONDS = 60',
    replace: 'export const LEASE_SECONDS = 86_400_000',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: what is unknown after an attempt counts as sent',
    file: CHANNEL,
    find: 'if (!answer.ok) return { delivered: false,',
    replace: 'if (!answer.ok) return { delivered: true,',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: each answer counts as a success',
    file: CHANNEL,
    find: 'status >= 200 && status < 300',
    replace: 'status >= 200',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: messages bear the name of their endpoint',
    file: SENDER,
    find: 'id: payload, at,',
    replace: 'id: recipient, at,',
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: an endpoint that is gone stays enabled',
    file: SENDER,
    find: "state !== 'failed' || status !== GONE",
    replace: "state !== 'sent' || status !== GONE",
    suites: [SIMULATOR],
  },
  {
    name: 'simulated deliveries: a tick sends nothing',
    file: DRAIN,
    find: 'await runner.run({ signal })',
    replace: 'void [runner, signal]',
    suites: [SIMULATOR],
  },
]

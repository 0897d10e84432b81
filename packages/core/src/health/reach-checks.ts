import type { Config } from '../config/config.ts'
import type { DnsClient } from '../monitors/dns-client.ts'
import type { ModelProbe } from './model-probe.ts'
import type { NamedCheck } from './system-check.ts'

/**
 * A name that IANA keeps for examples. What it has does not matter: that there is no such name is an answer
 * too.
 */
const ASKED_NAME = 'example.com'

/** Whether the resolvers that monitors ask resolve names. `servers` empty: those of the system. */
export const dnsCheck = (dns: DnsClient, servers: readonly string[]): NamedCheck => ({
  name: 'dns',
  asks: true,
  run: async (signal) => {
    const asked = servers.length > 0 ? servers : dns.systemServers()
    if (asked.length === 0) return { status: 'fail', detail: 'no-resolver' }
    const batch = dns.batch()
    signal.addEventListener('abort', () => batch.cancel(), { once: true })
    const replies = await Promise.all(
      asked.map((server) => batch.ask({ server, host: ASKED_NAME, type: 'A' })),
    )
    const answered = replies.filter(({ status }) => status !== 'error').length
    if (answered === 0) return { status: 'fail', detail: 'no-answer' }
    return answered < asked.length ? { status: 'warn', detail: 'some-do-not-answer' } : { status: 'ok' }
  },
})

/** Whether the language model could be asked. `probe` undefined: nobody named one. */
export const languageModelCheck = (
  probe: ModelProbe | undefined,
  { faults }: Pick<Config, 'faults'>,
): NamedCheck => ({
  name: 'language-model',
  asks: true,
  run: async (signal) => {
    if (faults.llm !== undefined) return { status: 'skipped', detail: 'bad-setting' }
    if (probe === undefined) return { status: 'skipped', detail: 'not-configured' }
    const state = await probe.reach(signal)
    if (state === 'ready') return { status: 'ok' }
    // Visitors get answers from the documents meanwhile.
    return { status: state === 'busy' ? 'warn' : 'fail', detail: state }
  },
})

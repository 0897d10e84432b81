import type { Config } from '../../platform/config/config.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import type { ModelProbe } from './model-probe.ts'
import type { NamedCheck } from './system-check.ts'

/** A name that IANA reserves for examples. Any answer counts, even that the name does not exist. */
const ASKED_NAME = 'example.com'

/** Checks the resolvers of monitors. If `servers` is empty, it checks the system's. */
export const dnsCheck = (dns: DnsClient, servers: readonly string[]): NamedCheck => ({
  name: 'dns',
  asks: true,
  isFar: true,
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

/** Checks the language model. `probe` is undefined if none is configured. */
export const languageModelCheck = (
  probe: ModelProbe | undefined,
  { faults }: Pick<Config, 'faults'>,
): NamedCheck => ({
  name: 'language-model',
  asks: true,
  isFar: true,
  run: async (signal) => {
    if (faults.llm !== undefined) return { status: 'skipped', detail: 'bad-setting' }
    if (probe === undefined) return { status: 'skipped', detail: 'not-configured' }
    const state = await probe.reach(signal)
    if (state === 'ready') return { status: 'ok' }
    // Meanwhile visitors get answers from the documents.
    return { status: state === 'busy' ? 'warn' : 'fail', detail: state }
  },
})

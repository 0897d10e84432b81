import { RecentMap } from '../../kernel/recent-map.ts'
import type { Base } from '../../platform/base.ts'
import type { StreamingOutbound } from '../../platform/net/outbound.ts'
import { OutboundRefused } from '../../platform/net/outbound-refusal.ts'
import { isWithinDomain } from '../../watch/surface/surface-target.ts'

/** Time of one try, tries, and bytes of an answer of certificate logs. */
export const CT_LIMITS = { answerMs: 20_000, totalMs: 20_000, maxBytes: 20_971_520 }
const TRIES = 2
const PAUSE_MS = 1000
/** Most names of one domain. */
const MOST_NAMES = 1000
const CACHE_MS = 86_400_000
const CACHED_DOMAINS = 256
const LONGEST_TEXT = 16_384

/** A log that is asked for names of certificates. */
export interface CertificateSource {
  /** As errors name it. */
  readonly name: string
  readonly urlOf: (domain: string) => string
  readonly headers: Readonly<Record<string, string>>
}

/** Names of certificates below a domain; `error` says why there may be more. */
export interface CertificateNamesFound {
  readonly names: readonly string[]
  readonly errors: readonly { readonly source: string; readonly error: string }[]
}

/** Dependencies of `CertificateNames`. */
export interface CertificateNamesParts extends Pick<Base, 'timers' | 'ids'> {
  readonly outbound: StreamingOutbound
  readonly sources: readonly CertificateSource[]
  readonly userAgent: string
}

/** Names below a domain that have logged certificates. Each domain is asked for once in a day. */
export class CertificateNames {
  readonly #parts: CertificateNamesParts
  readonly #known = new RecentMap<{ readonly until: number; readonly names: readonly string[] }>(
    CACHED_DOMAINS,
  )

  constructor(parts: CertificateNamesParts) {
    this.#parts = parts
  }

  /** Asks each source until one answers. Failures are returned. */
  async of(domain: string, signal: AbortSignal): Promise<CertificateNamesFound> {
    const { timers, sources } = this.#parts
    const known = this.#known.get(domain)
    if (known !== undefined && known.until > timers.elapsedMs()) return { names: known.names, errors: [] }
    const errors: { source: string; error: string }[] = []
    for (const source of sources) {
      const found = await this.#ask(source, domain, signal)
      if (typeof found !== 'string') {
        this.#known.set(domain, { until: timers.elapsedMs() + CACHE_MS, names: found })
        return { names: found, errors }
      }
      errors.push({ source: source.name, error: found })
    }
    return { names: [], errors }
  }

  /** Up to a second, so that replicas do not ask again at the same instant. */
  #jitter(): number {
    return Buffer.from(this.#parts.ids.secret(2), 'base64url').readUInt16LE() / 64
  }

  async #ask(
    source: CertificateSource,
    domain: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | string> {
    const { timers } = this.#parts
    let error = ''
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (tries > 0) await timers.pause(PAUSE_MS + this.#jitter(), signal)
      signal.throwIfAborted()
      const found = await this.#once(source, domain, signal)
      if (typeof found !== 'string') return found
      error = found
    }
    return error
  }

  async #once(
    source: CertificateSource,
    domain: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | string> {
    const { outbound, userAgent } = this.#parts
    const headers = { accept: 'application/json', 'user-agent': userAgent, ...source.headers }
    const url = source.urlOf(domain)
    await using answer = await disposable(outbound.stream(url, { headers, plainHttp: true, signal }))
    if (!answer.ok) return answer.refusal
    if (answer.status !== 200) return `HTTP ${answer.status}`
    try {
      return await namesIn(answer.body, domain)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OutboundRefused) return error.refusal
      throw error
    }
  }
}

async function disposable<T extends object>(made: Promise<T>): Promise<T & AsyncDisposable> {
  const answer = await made
  return Symbol.asyncDispose in answer
    ? (answer as T & AsyncDisposable)
    : Object.assign(answer, { [Symbol.asyncDispose]: async () => {} })
}

/** A text without its end is read as one too, up to where it breaks off: nothing is read a second time. */
const TEXT = /"((?:[^"\\\n]|\\[^\n])*)("|\\?\n|\\?$)/g
const LONGEST_NAMES = 4096

/**
 * Reads the names below a domain out of a JSON list as it comes: the whole of it is never held. Any text of
 * the list that is such a name counts, since sources spell their fields differently. Returns a reason if the
 * body is not a JSON list.
 */
export async function namesIn(
  body: AsyncIterable<Uint8Array>,
  domain: string,
): Promise<readonly string[] | string> {
  const names = new Set<string>()
  const decoder = new TextDecoder()
  let rest = ''
  let isList = false
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    if (!isList) {
      if (rest.trimStart() === '') continue
      if (!rest.trimStart().startsWith('[')) return 'no list of certificates'
      isList = true
    }
    let end = 0
    for (const { 0: whole, 1: text = '', 2: close = '', index } of rest.matchAll(TEXT)) {
      if (index + whole.length < rest.length || close === '"') end = index + whole.length
      if (close !== '"' || text.length > LONGEST_NAMES) continue
      for (const name of certificateNames(text, domain)) if (names.size < MOST_NAMES) names.add(name)
    }
    // The rest may be the beginning of a text; one that never ends is dropped.
    rest = rest.slice(end).slice(-LONGEST_TEXT)
  }
  return isList ? [...names].sort() : 'no list of certificates'
}

const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/

/** The host names in one text of a certificate log that are the domain or below it. */
export function certificateNames(text: string, domain: string): readonly string[] {
  if (!text.toLowerCase().includes(domain)) return []
  return text
    .split(/\\n|\n|,|\s/)
    .map((each) => each.trim().toLowerCase().replace(/^\*\./, '').replace(/\.$/, ''))
    .filter((name) => name.length <= 253 && NAME.test(name) && isWithinDomain(name, domain))
}

/** The sources that the settings name: certificate logs, then Cert Spotter if there is a token for it. */
export function certificateSources(
  ctUrl: string,
  certSpotterToken: string | undefined,
): readonly CertificateSource[] {
  const logs: CertificateSource = {
    name: URL.parse(ctUrl)?.hostname ?? 'crt.sh',
    urlOf: (domain) => ctUrl.replaceAll('{domain}', encodeURIComponent(domain)),
    headers: {},
  }
  if (certSpotterToken === undefined) return [logs]
  const spotter = 'https://api.certspotter.com/v1/issuances?include_subdomains=true&expand=dns_names&domain='
  return [
    logs,
    {
      name: 'certspotter',
      urlOf: (domain) => `${spotter}${encodeURIComponent(domain)}`,
      headers: { authorization: `Bearer ${certSpotterToken}` },
    },
  ]
}

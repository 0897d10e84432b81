import { type Certificate, shownCertificate } from './proxy-sight.ts'

/** A domain whose certificate was not renewed in time. */
export interface EndingCertificate {
  readonly domain: string
  /** The end of its certificate in unix seconds; absent: nobody shows one for it. */
  readonly until?: number
}

const LOOK_MS = 600_000
/** Authorities and proxies renew when a third of the time is left. */
const LEFT = 1 / 4
/** Looks in a row without a certificate before that is told: a proxy that starts shows none. */
const ABSENT = 2

/** Looks at the certificates that the proxy shows, every ten minutes. */
export class CertificateWatch implements Disposable {
  readonly #domains: () => readonly string[]
  readonly #look: typeof shownCertificate
  readonly #seen = new Map<string, Certificate>()
  readonly #absent = new Map<string, number>()
  readonly #ticker: NodeJS.Timeout

  constructor(domains: () => readonly string[], look = shownCertificate) {
    this.#domains = domains
    this.#look = look
    this.#ticker = setInterval(() => void this.look(), LOOK_MS)
  }

  /** Notes the certificate of a domain. */
  seen(domain: string, certificate: Certificate): void {
    this.#seen.set(domain, certificate)
    this.#absent.delete(domain)
  }

  /** Looks at all domains, one after the other. */
  async look(): Promise<void> {
    const domains = this.#domains()
    for (const domain of domains) {
      const certificate = await this.#look(domain)
      if (certificate !== undefined) this.seen(domain, certificate)
      else this.#absent.set(domain, (this.#absent.get(domain) ?? 0) + 1)
    }
    for (const known of [this.#seen, this.#absent])
      for (const domain of known.keys()) if (!domains.includes(domain)) known.delete(domain)
  }

  /** Tells of a domain, if its certificate was not renewed in time. */
  of(domain: string, now: Date): readonly EndingCertificate[] {
    if ((this.#absent.get(domain) ?? 0) >= ABSENT) return [{ domain }]
    const certificate = this.#seen.get(domain)
    if (certificate === undefined) return []
    const [from, until] = [certificate.from.getTime(), certificate.until.getTime()]
    return until - now.getTime() < (until - from) * LEFT ? [{ domain, until: Math.floor(until / 1000) }] : []
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticker)
  }
}

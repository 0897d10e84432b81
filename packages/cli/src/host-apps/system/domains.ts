import { existsSync } from 'node:fs'
import { Problem } from '@svc/core'
import { type ExposeOrder, type Exposure, MAX_DOMAINS, WEB_PROCESS } from '@svc/core/adapters'
import type { AppsRecord } from '../apps-file.ts'
import type { Say } from '../generation.ts'
import type { Caddy } from './caddy.ts'
import { CertificateWatch, type EndingCertificate } from './certificate-watch.ts'
import { certificateOf, demandAddress } from './proxy-sight.ts'
import { certificateFiles, type Site, sitesText } from './site-text.ts'

/** Inputs of the domains of a host. */
export interface DomainsParts {
  readonly record: AppsRecord
  readonly caddy: Caddy
  /** The ports of an application that this host keeps running, by its processes. */
  readonly portsOf: (app: string) => ReadonlyMap<string, number>
}

type Exposures = Readonly<Record<string, Exposure>>

const refused = (detail: string): Problem => new Problem('conflict', { detail })

/** The domains of a host's applications: its record, and the files of its proxy. */
export class Domains implements Disposable {
  readonly #parts: DomainsParts
  readonly #watch: CertificateWatch

  constructor(parts: DomainsParts) {
    this.#parts = parts
    this.#watch = new CertificateWatch(() => this.#secure.map(({ domain }) => domain))
  }

  /**
   * Leads a domain to an application.
   * @throws Problem `conflict` in words when the name is another application's, leads elsewhere, or the proxy
   * does not take it: everything is then as before
   */
  async expose({ domain, exposure, force }: ExposeOrder, say: Say): Promise<void> {
    const { app, tls } = exposure
    const known = this.#known
    const owner = known[domain]?.app
    // The name of the other application is none of this one's business.
    if (owner !== undefined && owner !== app) throw refused(`${domain} is taken on this host`)
    const count = Object.values(known).filter((each) => each.app === app).length
    if (owner === undefined && count >= MAX_DOMAINS)
      throw refused(`${app} has ${MAX_DOMAINS} domains already`)
    this.#demandProcesses(exposure)
    if (tls === 'auto' && !force) await demandAddress(domain)
    if (tls === 'certificate') demandCertificate(domain)
    await this.#change({ ...known, [domain]: exposure }, true)
    say(`the proxy leads ${domain} to ${app}`)
    if (tls === 'off') return
    const certificate = await certificateOf(domain)
    if (certificate !== undefined) this.#watch.seen(domain, certificate)
    const until = certificate?.until.toISOString()
    say(
      until === undefined
        ? `no certificate for ${domain} yet: the proxy goes on asking, see journalctl -u caddy`
        : `https://${domain} has a certificate until ${until}`,
    )
  }

  /** Takes a domain away from an application. Returns false when it has not got it. */
  async unexpose(app: string, domain: string): Promise<boolean> {
    const { [domain]: gone, ...others } = this.#known
    if (gone?.app !== app) return false
    await this.#change(others, false)
    return true
  }

  /** Takes all its domains away from an application. */
  async drop(app: string): Promise<void> {
    const others = Object.entries(this.#known).filter(([, exposure]) => exposure.app !== app)
    if (others.length < Object.keys(this.#known).length) await this.#change(Object.fromEntries(others), false)
  }

  /** The domains of an application whose certificates were not renewed in time. */
  ending(app: string, now: Date): readonly EndingCertificate[] {
    return this.#secure
      .filter(({ exposure }) => exposure.app === app)
      .flatMap(({ domain }) => this.#watch.of(domain, now))
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]()
  }

  get #secure() {
    return Object.entries(this.#known)
      .map(([domain, exposure]) => ({ domain, exposure }))
      .filter(({ exposure }) => exposure.tls !== 'off')
  }

  get #known(): Exposures {
    return this.#parts.record.current.domains ?? {}
  }

  #portOf({ app, port, process = WEB_PROCESS }: Exposure): number | undefined {
    const ports = this.#parts.portsOf(app)
    return ports.size === 0 ? port : ports.get(process)
  }

  #demandProcesses({ app, port, process = WEB_PROCESS, paths = {} }: Exposure): void {
    const ports = this.#parts.portsOf(app)
    if (ports.size === 0 && port === undefined)
      throw refused(`${app} does not run here: deploy it first, or say its port`)
    if (ports.size === 0 && Object.keys(paths).length === 0) return
    const missing = [process, ...Object.values(paths)].find((name) => !ports.has(name))
    if (missing !== undefined)
      throw refused(
        `${app} has no process ${missing} with visitors here: "http": true in svc.json, and a deploy`,
      )
  }

  async #change(next: Exposures, isWanted: boolean): Promise<void> {
    const sites = Object.entries(next).flatMap(([domain, exposure]): Site[] => {
      const port = this.#portOf(exposure)
      const ports = this.#parts.portsOf(exposure.app)
      const paths = Object.entries(exposure.paths ?? {}).flatMap(([path, process]) => {
        const at = ports.get(process)
        return at === undefined ? [] : [[path, at] as const]
      })
      return port === undefined ? [] : [{ domain, exposure, port, paths: Object.fromEntries(paths) }]
    })
    const apps = [...new Set(sites.map(({ exposure }) => exposure.app))]
    const textOf = (app: string) =>
      sitesText(
        app,
        sites.filter(({ exposure }) => exposure.app === app),
      )
    await this.#parts.caddy.apply(new Map(apps.map((app) => [`${app}.caddy`, textOf(app)])), isWanted)
    await this.#parts.record.setDomains(next)
  }
}

/** The key of a certificate never leaves its host: the operator puts both there. */
function demandCertificate(domain: string): void {
  const files = certificateFiles(domain)
  if (files.every((file) => existsSync(file))) return
  throw refused(
    `put the certificate of ${domain} into ${files[0]} and its key into ${files[1]}, for caddy to read`,
  )
}

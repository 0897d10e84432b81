import { Problem } from '../../problem.ts'
import { noScan, noTarget, type Surface } from '../../surface/surface.ts'
import type { ScanRequest } from '../../surface/surface-fields.ts'
import type { SurfaceFinding } from '../../surface/surface-finding.ts'
import type { OperatedSurface } from '../../surface/surface-operations.ts'
import type { FindingFilter } from '../../surface/surface-scans-store.ts'
import { readTargetDomain, type SurfaceTarget } from '../../surface/surface-target.ts'
import type { TargetFilter } from '../../surface/surface-targets-store.ts'
import type { SeenTarget } from '../../surface/surface-view.ts'
import { inOrderOf } from './in-order.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

const RANK = ['high', 'medium', 'low', 'info']
const highestFirst = inOrderOf((found: SurfaceFinding) => [
  String(RANK.indexOf(found.severity)),
  found.firstSeenAt.toISOString(),
  found.licenseId,
  found.domain,
  found.fingerprint,
])

/** The attack surface of the domains of one tenant. Others do not exist for it. */
export class TenantSurface implements OperatedSurface {
  readonly #surface: Surface
  readonly #licenses: TenantLicenses

  constructor(surface: Surface, licenses: TenantLicenses) {
    this.#surface = surface
    this.#licenses = licenses
  }

  async add(licenseId: string, domain: string) {
    await this.#licenses.require(licenseId)
    return this.#surface.add(licenseId, domain)
  }

  async verify(licenseId: string, domain: string) {
    await this.#licenses.require(licenseId)
    return this.#surface.verify(licenseId, domain)
  }

  async start(licenseId: string, asked: ScanRequest) {
    await this.#licenses.require(licenseId)
    return this.#surface.start(licenseId, asked)
  }

  async list(filter: TargetFilter): Promise<readonly SeenTarget[]> {
    const own = await this.#licenses.reads(filter.licenseId, (licenseId) =>
      this.#surface.list({ ...filter, licenseId }),
    )
    const order = inOrderOf(({ target }: SeenTarget) => [target.domain, target.licenseId])
    return own.sort(order).slice(0, filter.limit)
  }

  async find(given: string, licenseId: string | undefined): Promise<SurfaceTarget> {
    const domain = readTargetDomain(given) ?? ''
    const found = await this.list({ licenseId, domain, limit: 2 })
    const [seen] = found
    if (seen === undefined) throw noTarget(given)
    if (found.length > 1)
      throw new Problem('ambiguous', { detail: 'several licenses have this domain: --license names one' })
    return seen.target
  }

  async seen(target: SurfaceTarget) {
    await this.#licenses.require(target.licenseId)
    return this.#surface.seen(target)
  }

  async last(target: SurfaceTarget) {
    await this.#licenses.require(target.licenseId)
    return this.#surface.last(target)
  }

  async scan(id: string, licenseId: string | undefined) {
    const seen = await this.#surface.scan(id, licenseId)
    if (!(await this.#licenses.owns(seen.scan.licenseId))) throw noScan(id)
    return seen
  }

  async findings(filter: FindingFilter): Promise<readonly SurfaceFinding[]> {
    const own = await this.#licenses.reads(filter.licenseId, (licenseId) =>
      this.#surface.findings({ ...filter, licenseId }),
    )
    return own.sort(highestFirst).slice(0, filter.limit)
  }

  async abort(id: string) {
    await this.scan(id, undefined)
    return this.#surface.abort(id)
  }

  async remove(target: SurfaceTarget): Promise<void> {
    await this.#licenses.require(target.licenseId)
    return this.#surface.remove(target)
  }
}

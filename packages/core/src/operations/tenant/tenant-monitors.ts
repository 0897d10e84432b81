import type { Monitor } from '../../monitors/monitor.ts'
import { type Monitors, theMonitor } from '../../monitors/monitors.ts'
import type { MonitorFilter } from '../../monitors/monitors-store.ts'
import { inOrderOf } from './in-order.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The monitors of one tenant and of its licenses, to be read: those of others do not exist. */
export class TenantMonitors implements Pick<Monitors, 'list' | 'resolve' | 'history'> {
  readonly #tenantId: string
  readonly #monitors: Monitors
  readonly #licenses: TenantLicenses

  constructor(tenantId: string, monitors: Monitors, licenses: TenantLicenses) {
    this.#tenantId = tenantId
    this.#monitors = monitors
    this.#licenses = licenses
  }

  async list({ tenantId, licenseId }: MonitorFilter = {}): Promise<readonly Monitor[]> {
    const ofTenant = licenseId === undefined ? await this.#monitors.list({ tenantId: this.#tenantId }) : []
    if (tenantId !== undefined) return tenantId === this.#tenantId ? ofTenant : []
    const ofLicenses = await this.#licenses.reads(licenseId, (id) => this.#monitors.list({ licenseId: id }))
    return [...ofTenant, ...ofLicenses].sort(byName)
  }

  async resolve(idOrName: string): Promise<Monitor> {
    const own: Monitor[] = []
    for (const monitor of await this.#monitors.find(idOrName))
      if (await this.#owns(monitor)) own.push(monitor)
    return theMonitor(own, idOrName)
  }

  async history(idOrName: string, limit: number) {
    return this.#monitors.history((await this.resolve(idOrName)).id, limit)
  }

  async #owns({ tenantId, licenseId }: Monitor): Promise<boolean> {
    return licenseId === undefined ? tenantId === this.#tenantId : this.#licenses.owns(licenseId)
  }
}

const byName = inOrderOf(({ name, id }: Monitor) => [name, id])

import { PLATFORM } from '@svc/core'
import type { Evaluation, HeartbeatWrite } from '@svc/core/ports'
import { buildHeartbeat, type TestPlane, type TestPlaneOverrides, testPlane } from '@svc/testing'

/** A plane with one license, its hosts, and ticks a minute apart. */
export class FleetScene implements AsyncDisposable {
  readonly test: TestPlane
  readonly licenseId: string

  private constructor(test: TestPlane, licenseId: string) {
    this.test = test
    this.licenseId = licenseId
  }

  static async open(overrides: TestPlaneOverrides = {}, tenant?: string): Promise<FleetScene> {
    const test = testPlane(overrides)
    const tenantId = tenant === undefined ? undefined : (await test.plane.tenants.add(tenant)).id
    const { license } = await test.plane.licenses.issue({ tenantId, label: 'web' })
    return new FleetScene(test, license.id)
  }

  /** Sends a heartbeat of a host of the license. */
  async beat(fields: Partial<HeartbeatWrite> = {}): Promise<void> {
    const own = { licenseId: this.licenseId, fingerprint: 'fp', hostname: 'web-1' }
    await this.test.plane.agents.heartbeat({ ...buildHeartbeat({ ...own, ...fields }), jobs: [] })
  }

  /** Runs the alert tasks of a tick, a minute after the last. */
  async tick(): Promise<Evaluation> {
    this.test.clock.advance({ minutes: 1 })
    const done = await this.test.plane.alerts.evaluate()
    await this.test.plane.alerts.deliver()
    return done
  }

  /** Returns the kinds of the unresolved alerts. */
  async open(): Promise<string[]> {
    const { alerts } = await this.test.plane.alerts.list(PLATFORM, {})
    return alerts.filter(({ resolvedAt }) => resolvedAt === undefined).map(({ kind }) => kind)
  }

  /** Returns the alert changes in the log, as transition and kind. */
  told(): string[] {
    return this.test.log.lines
      .filter(({ message }) => message === 'alerts')
      .flatMap(({ fields }) => fields.alerts as { transition: string; kind: string }[])
      .map(({ transition, kind }) => `${transition} ${kind}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.test[Symbol.asyncDispose]()
  }
}

import { ofLicense, type Storage } from '@svc/core'
import type { Agent, HeartbeatWrite } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { buildHeartbeat } from './build-heartbeat.ts'

/** A license with its hosts, for the contract suite of the host registry. */
export class AgentsScene {
  readonly storage: Storage
  readonly clock = new FakeClock()
  readonly licenseId = buildId('lic')

  constructor(storage: Storage) {
    this.storage = storage
  }

  beat(fingerprint = 'fp-1', fields: Partial<HeartbeatWrite> = {}) {
    const write = buildHeartbeat({ licenseId: this.licenseId, fingerprint, ...fields })
    return this.storage.agents.heartbeat(write, this.clock.now())
  }

  list(): Promise<readonly Agent[]> {
    return this.storage.agents.list(ofLicense(this.licenseId))
  }

  async only(): Promise<Agent | undefined> {
    return (await this.list())[0]
  }
}

import { type Job, ofLicense, type Storage } from '@svc/core'
import type { NewImage, Registered } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { buildJob } from '../jobs/build-job.ts'
import { buildImage } from './build-image.ts'

/** The host that acts when a test does not say which. */
export const HOST = 'fp-1'
/** Another host of the same license. */
export const OTHER = 'fp-2'

/** A license with two hosts, for the contract suite of the ledger. */
export class ImagesScene {
  readonly clock = new FakeClock(new Date('2030-01-02T03:04:05.678Z'))
  readonly licenseId = buildId('lic')
  readonly storage: Storage

  constructor(storage: Storage) {
    this.storage = storage
  }

  static async of(storage: Storage): Promise<ImagesScene> {
    const scene = new ImagesScene(storage)
    for (const fingerprint of [HOST, OTHER]) {
      const write = buildHeartbeat({ licenseId: scene.licenseId, fingerprint })
      await storage.agents.heartbeat(write, scene.clock.now())
    }
    return scene
  }

  image(fields: Partial<NewImage> = {}): NewImage {
    return buildImage({ licenseId: this.licenseId, fingerprint: HOST, ...fields })
  }

  register(image: NewImage): Promise<Registered> {
    return this.storage.images.register(image, this.clock.now())
  }

  async registered(fields: Partial<NewImage> = {}) {
    const image = this.image(fields)
    await this.register(image)
    return image
  }

  list(fields = {}) {
    return this.storage.images.list(ofLicense(this.licenseId), { limit: 100, ...fields })
  }

  repository(fields = {}) {
    return { licenseId: this.licenseId, fingerprint: HOST, repo: 'repo-1', ...fields }
  }

  async heldJob(): Promise<Job> {
    const { licenseId, clock, storage } = this
    await storage.jobs.enqueue(buildJob({ licenseId, kind: 'backup' }), clock.now())
    const lease = { licenseId, fingerprint: HOST, leaseSeconds: 300, claimKey: undefined }
    const { job } = await storage.jobs.lease(lease, clock.now())
    if (job === undefined) throw new Error('there was no job to hold')
    return job
  }
}

import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import { finite, flag, listOf, namedShape, oneOf, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Agents } from '../agents/agents.ts'
import { JOB_ANSWERS } from '../jobs/job-answers.ts'
import { jobView } from '../jobs/job-view.ts'
import { IMAGE_ENGINES, IMAGE_KINDS, IMAGE_STATES, type Image } from './image.ts'
import type { Images } from './images.ts'

/** The services that operations on images use. */
export interface ImageUses {
  readonly agents: Pick<Agents, 'resolve'>
  readonly images: Pick<Images, 'forget' | 'list' | 'resolve' | 'restore'>
  readonly licenses: Pick<Licenses, 'within'>
}

const operation = operationOf<ImageUses>()

/** Returns an image as operators see it; instants in unix seconds, absent values left out. */
export const imageView = (image: Image) => ({
  id: image.id,
  checksum: image.checksum,
  state: image.state,
  engine: image.engine,
  kind: image.kind,
  license_id: image.licenseId,
  fingerprint: image.fingerprint,
  ...present('repo', image.repo === '' ? undefined : image.repo),
  ...present('app', image.app),
  ...present('hostname', image.hostname),
  ...present('label', image.label),
  ...present('size_bytes', image.sizeBytes),
  ...present('added_bytes', image.addedBytes),
  captured_at: unixSeconds(image.capturedAt),
  ...present('duration_s', image.durationSeconds),
  paths: image.paths,
  tags: image.tags,
  ...present('parent', image.parent),
  ...present('encrypted', image.encrypted),
  ...presentSeconds('verified_at', image.verifiedAt),
  ...present('job_id', image.jobId),
  first_seen_at: unixSeconds(image.firstSeenAt),
  last_seen_at: unixSeconds(image.lastSeenAt),
  ...presentSeconds('pruned_at', image.prunedAt),
})

/** An image as operators see it. */
export type ImageView = ReturnType<typeof imageView>

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 512)
const count = whole(0, Number.MAX_SAFE_INTEGER)
const image = namedShape('Image', {
  id: word,
  checksum: word,
  state: oneOf(IMAGE_STATES),
  engine: oneOf(IMAGE_ENGINES),
  kind: oneOf(IMAGE_KINDS),
  license_id: word,
  fingerprint: word,
  repo: optional(word),
  app: optional(word),
  hostname: optional(word),
  label: optional(word),
  size_bytes: optional(finite()),
  added_bytes: optional(finite()),
  captured_at: count,
  duration_s: optional(finite()),
  paths: listOf(word, ANY),
  tags: listOf(word, ANY),
  parent: optional(word),
  encrypted: optional(flag()),
  verified_at: optional(count),
  job_id: optional(word),
  first_seen_at: count,
  last_seen_at: count,
  pruned_at: optional(count),
})

const named = { image: text(1, 160), license: optional(text(1, 512)) }

async function imageOf(
  scope: Scope,
  services: ImageUses,
  input: { readonly image: string; readonly license?: string | undefined },
) {
  return services.images.resolve(await services.licenses.within(scope, input.license), input.image)
}

/** Operations on the ledger of images. */
export const imageOperations = [
  operation({
    name: 'images.list',
    summary: 'list captured images, the latest first',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: {
      license: optional(text(1, 512)),
      host: optional(text(1, 512)),
      app: optional(text(1, 63)),
      state: optional(oneOf(IMAGE_STATES)),
      limit: defaulted(whole(1, 1000), 100),
    },
    answer: { images: listOf(image, ANY) },
    run: async ({ agents, images, licenses }, { license, host, app, state, limit }, { scope }) => {
      const asked = await licenses.within(scope, license)
      const agent = host === undefined ? undefined : await agents.resolve(asked, host)
      const within = agent === undefined ? asked : ofLicense(agent.licenseId)
      const filter = { fingerprint: agent?.fingerprint, app, state, limit }
      return { images: (await images.list(within, filter)).map(imageView) }
    },
  }),
  operation({
    name: 'images.show',
    summary: 'show one image',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: named,
    answer: { image },
    run: async (services, input, { scope }) => ({ image: imageView(await imageOf(scope, services, input)) }),
  }),
  operation({
    name: 'images.forget',
    summary: 'take an image off the ledger; its snapshot stays where it is',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { ...named, force: defaulted(flag(), false) },
    answer: { image },
    run: async (services, input, { scope }) => {
      const found = await imageOf(scope, services, input)
      return { image: imageView(await services.images.forget(found, input.force)) }
    },
  }),
  operation({
    name: 'images.restore',
    summary: 'restore an image on its host, or on another one, or try its restore out',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: {
      ...named,
      host: optional(text(1, 512)),
      target: optional(text(1, 512)),
      drill: defaulted(flag(), false),
      verify: defaulted(flag(), false),
      data: optional(oneOf(['restore', 'undo'])),
    },
    answer: { image, job: JOB_ANSWERS.made.job },
    run: async (services, { host, target, drill, verify, data, ...input }, { scope }) => {
      const found = await imageOf(scope, services, input)
      const agent = await services.agents.resolve(
        ofLicense(found.licenseId),
        host ?? `fp:${found.fingerprint}`,
      )
      const job = await services.images.restore({
        image: found,
        fingerprint: agent.fingerprint,
        target,
        isDrill: drill,
        isVerified: verify,
        data,
      })
      return { image: imageView(found), job: jobView(job, true) }
    },
  }),
]

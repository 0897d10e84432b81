import { is } from 'superstruct'
import type { Deployment } from '../deployments/deployments-store.ts'
import { credentialsOf } from '../git/git-credentials.ts'
import type { Payload } from '../jobs/job-payload.ts'
import type { AppPlace } from './app-place.ts'
import { imageName } from './container.ts'

/** The scheme of the address of an app that is an image of a registry: `docker://ghcr.io/acme/shop`. */
const IMAGE_SCHEME = 'docker://'

/** The image of an address, without a tag and a digest; undefined when it is a repository's. */
export function imageOf(repoUrl: string | undefined): string | undefined {
  if (!repoUrl?.startsWith(IMAGE_SCHEME)) return undefined
  return repoUrl.slice(IMAGE_SCHEME.length)
}

/** Whether an address is that of an image, which has no tag and no digest: deploys name those. */
export function isImageAddress(repoUrl: string): boolean {
  const image = imageOf(repoUrl)
  return image !== undefined && is(image, imageName) && withoutTag(image) === image
}

function withoutTag(image: string): string {
  const [name = ''] = image.split('@')
  const colon = name.lastIndexOf(':')
  // A colon before a slash is that of a port.
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name
}

/**
 * Whether the source of a job is the app's own: its repository at any commit, its image at any tag, or a
 * commit that its host has from an upload, which its operators alone can make.
 */
export function isOwnSource(source: Payload, repoUrl: string | undefined): boolean {
  const { type, image, repo_url: url } = source
  if (type === 'upload') return true
  if (type !== 'image') return url === repoUrl
  return typeof image === 'string' && withoutTag(image) === imageOf(repoUrl)
}

/** Whether a word names a deployment of an image: its tag, the beginning of its digest, the end of its id. */
export function isNamed({ id, source }: Deployment, word: string): boolean {
  const { image } = source
  if (typeof image !== 'string') return false
  return (
    image.endsWith(`:${word}`) || image.includes(`@sha256:${word}`) || (word.length >= 4 && id.endsWith(word))
  )
}

/** The image of an app at a tag, or at the digest that is named in place of a commit. */
export const imageSource = (image: string, sha: string | undefined, tag = 'latest'): Payload => ({
  type: 'image',
  image: sha === undefined ? `${image}:${tag}` : `${image}@sha256:${sha}`,
})

/** A commit that the app's host has from an upload. */
export const uploadSource = (sha: string): Payload => ({ type: 'upload', sha })

/** The commit of a deployment; undefined when its source is none of git. */
export function shaOf(deployment: Deployment | undefined): string | undefined {
  const sha = deployment?.source.sha
  return typeof sha === 'string' ? sha : undefined
}

/** A commit as the source of a job, with the credentials of the app's hook if it is the hook's repository. */
export function gitSource({ hook, repoUrl }: AppPlace, sha: string, ref: string | undefined): Payload {
  const auth = hook !== undefined && hook.repoUrl === repoUrl ? credentialsOf(hook) : {}
  return { type: 'git', repo_url: repoUrl, sha, ...(ref === undefined ? {} : { ref }), ...auth }
}

/** The commit of a deployment once more, from the app's repository or from its upload; undefined: none. */
export function commitAgain(place: AppPlace, deployment: Deployment | undefined): Payload | undefined {
  const sha = shaOf(deployment)
  if (sha === undefined) return undefined
  return deployment?.source.type === 'upload' ? uploadSource(sha) : gitSource(place, sha, undefined)
}

/** Most earlier jobs that a host is told of to find an image by. */
const MAX_KEPT = 20

/**
 * The image of an earlier deployment, which its host knows by the job. The host takes the first one whose
 * image is not live.
 * @returns undefined when none of them was of an image
 */
export function imageBefore(deployments: readonly Deployment[]): Payload | undefined {
  const images = deployments.filter(({ source }) => source.type === 'image')
  const [first] = images
  if (first === undefined) return undefined
  const kept = images.slice(0, MAX_KEPT).map(({ jobId }) => jobId)
  return { type: 'image', image: first.source.image, kept, only_kept: true }
}

/** The source of a deployment once more: a commit from where the app has its repository now. */
export function sourceAgain(place: AppPlace, deployment: Deployment): Payload {
  const { repo_url: before, ref, image } = deployment.source
  const sha = shaOf(deployment)
  // A tag may lead to another image by now.
  if (deployment.source.type === 'image') return { type: 'image', image, kept: [deployment.jobId] }
  if (sha === undefined) return deployment.source
  if (deployment.source.type === 'upload') return uploadSource(sha)
  const repoUrl = place.repoUrl ?? (typeof before === 'string' ? before : undefined)
  return gitSource({ ...place, repoUrl }, sha, typeof ref === 'string' ? ref : undefined)
}

import type { Deployment } from '../deployments/deployments-store.ts'
import { credentialsOf } from '../git/git-credentials.ts'
import type { Payload } from '../jobs/job-payload.ts'
import type { AppPlace } from './app-place.ts'

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

/** The source of a deployment once more: a commit from where the app has its repository now. */
export function sourceAgain(place: AppPlace, deployment: Deployment): Payload {
  const { repo_url: before, ref } = deployment.source
  const sha = shaOf(deployment)
  if (sha === undefined) return deployment.source
  const repoUrl = place.repoUrl ?? (typeof before === 'string' ? before : undefined)
  return gitSource({ ...place, repoUrl }, sha, typeof ref === 'string' ? ref : undefined)
}

import { repoPath } from '../git-hook.ts'
import { isCommitId, isNoCommit, type Push, type PushedCommit, type PushedRef, refParts } from './push.ts'
import { at, type Json, listAt, textAt, textsAt } from './read-json.ts'

/** The part of a push that stands in its body. */
export type PushBody = Pick<Push, 'refs' | 'repositories' | 'pusher'>

/** GitHub cuts the list of commits at this length. */
const GITHUB_COMMITS = 2048

const known = (sha: string): string | undefined => (isCommitId(sha) ? sha : undefined)

const commitOf = (commit: Json): PushedCommit => ({
  message: textAt(commit, 'message'),
  paths: ['added', 'removed', 'modified'].flatMap((kind) => textsAt(commit, kind)),
})

/** The path of a repository's address, in either spelling. */
function pathOfUrl(url: string): string {
  if (URL.canParse(url) && url.includes('://')) return repoPath(new URL(url).pathname)
  return repoPath(/^[^/@:]+@[^/@:]+:(.+)$/.exec(url)?.[1] ?? '')
}

const named = (names: readonly string[], urls: readonly string[]): readonly string[] =>
  [...names.map(repoPath), ...urls.map(pathOfUrl)].filter((path) => path !== '')

const ofHubs = (body: Json): Pick<PushBody, 'repositories'> => {
  const repository = at(body, 'repository')
  const urls = ['clone_url', 'ssh_url', 'html_url'].map((key) => textAt(repository, key))
  return { repositories: named([textAt(repository, 'full_name')], urls) }
}

// A list of commits tells a push's changes only if it goes on from the commit before: not for a new ref, nor
// for one that was moved by force.
const goesOn = (body: Json): boolean =>
  known(textAt(body, 'before')) !== undefined && at(body, 'created') !== true && at(body, 'forced') !== true

/** A push of GitHub. */
export function githubPush(body: Json): PushBody {
  const commits = listAt(body, 'commits')
  const parts = refParts(textAt(body, 'ref'))
  const after = textAt(body, 'after')
  // The tag itself has an id of its own when it is annotated.
  const sha = parts.kind === 'tag' ? textAt(body, 'head_commit', 'id') || after : after
  return {
    ...ofHubs(body),
    pusher: textAt(body, 'pusher', 'name') || textAt(body, 'sender', 'login'),
    refs: [
      {
        ...parts,
        before: known(textAt(body, 'before')),
        sha,
        isDeleted: at(body, 'deleted') === true || isNoCommit(after),
        commits: commits.map(commitOf),
        isWhole: goesOn(body) && commits.length > 0 && commits.length < GITHUB_COMMITS,
      },
    ],
  }
}

/** A push of Gitea, Forgejo or Gogs. */
export function giteaPush(body: Json): PushBody {
  const commits = listAt(body, 'commits')
  const total = at(body, 'total_commits')
  const sha = textAt(body, 'after')
  const pusher = at(body, 'pusher')
  return {
    ...ofHubs(body),
    pusher: textAt(pusher, 'login') || textAt(pusher, 'username') || textAt(pusher, 'full_name'),
    refs: [
      {
        ...refParts(textAt(body, 'ref')),
        before: known(textAt(body, 'before')),
        sha,
        isDeleted: isNoCommit(sha),
        commits: commits.map(commitOf),
        isWhole: goesOn(body) && commits.length > 0 && total === commits.length,
      },
    ],
  }
}

/** A push of GitLab. `checkout_sha` is the commit of an annotated tag. */
export function gitlabPush(body: Json): PushBody {
  const commits = listAt(body, 'commits')
  const after = textAt(body, 'after')
  const project = at(body, 'project')
  const urls = ['git_http_url', 'git_ssh_url', 'web_url'].map((key) => textAt(project, key))
  return {
    repositories: named([textAt(project, 'path_with_namespace')], urls),
    pusher: textAt(body, 'user_username') || textAt(body, 'user_name'),
    refs: [
      {
        ...refParts(textAt(body, 'ref')),
        before: known(textAt(body, 'before')),
        sha: textAt(body, 'checkout_sha') || after,
        isDeleted: at(body, 'checkout_sha') === null || isNoCommit(after),
        commits: commits.map(commitOf),
        isWhole: goesOn(body) && commits.length > 0 && at(body, 'total_commits_count') === commits.length,
      },
    ],
  }
}

const prefixes: Readonly<Record<string, string>> = { branch: 'refs/heads/', tag: 'refs/tags/' }

/** A push of Bitbucket Cloud. It names no paths. */
export function bitbucketCloudPush(body: Json): PushBody {
  const repository = at(body, 'repository')
  return {
    repositories: named([textAt(repository, 'full_name')], [textAt(repository, 'links', 'html', 'href')]),
    pusher: textAt(body, 'actor', 'nickname') || textAt(body, 'actor', 'display_name'),
    refs: listAt(body, 'push', 'changes').map(cloudChange),
  }
}

function cloudChange(change: Json): PushedRef {
  const isDeleted = at(change, 'new') === null
  const side = at(change, isDeleted ? 'old' : 'new')
  return {
    ...refParts(`${prefixes[textAt(side, 'type')] ?? ''}${textAt(side, 'name')}`),
    before: known(textAt(change, 'old', 'target', 'hash')),
    sha: textAt(change, 'new', 'target', 'hash'),
    isDeleted,
    commits: listAt(change, 'commits').map(commitOf),
    isWhole: false,
  }
}

/** A push of Bitbucket Data Center. It names no paths. */
export function bitbucketServerPush(body: Json): PushBody {
  const repository = at(body, 'repository')
  const name = `${textAt(repository, 'project', 'key')}/${textAt(repository, 'slug')}`
  return {
    repositories: named(name.startsWith('/') || name.endsWith('/') ? [] : [name], []),
    pusher: textAt(body, 'actor', 'name') || textAt(body, 'actor', 'displayName'),
    refs: listAt(body, 'changes').map((change) => ({
      ...refParts(textAt(change, 'ref', 'id') || textAt(change, 'refId')),
      before: known(textAt(change, 'fromHash')),
      sha: textAt(change, 'toHash'),
      isDeleted: textAt(change, 'type') === 'DELETE' || isNoCommit(textAt(change, 'toHash')),
      commits: [],
      isWhole: false,
    })),
  }
}

/** A push as anybody's own script tells it: `ref`, `sha` or `after`, and any other fields it knows. */
export function genericPush(body: Json): PushBody {
  const sha = textAt(body, 'sha') || textAt(body, 'after')
  const repository = textAt(body, 'repository')
  const ref = textAt(body, 'ref')
  return {
    repositories: named([], [repository]).length > 0 ? named([], [repository]) : named([repository], []),
    pusher: textAt(body, 'pusher'),
    refs: [
      {
        ...refParts(ref),
        before: known(textAt(body, 'before')),
        sha,
        isDeleted: isNoCommit(sha),
        commits: [],
        isWhole: false,
      },
    ],
  }
}

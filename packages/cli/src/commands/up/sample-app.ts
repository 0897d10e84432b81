import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Log } from '@svc/core'
import type { Io } from '../../terminal/io.ts'

/** A git source as the payload of a deploy names it. */
export interface GitSource {
  readonly type: 'git'
  readonly repo_url: string
  readonly sha: string
}

const DEPLOY_SH = `#!/bin/sh
# The agent runs this in the folder of the release, as a part of the deploy job: what it prints is the job's log, its
# exit code decides. A real application would build itself and restart its service here.
set -eu
echo "this is $SVC_APP at $SVC_SHA"
for step in 'installing' 'building' 'checking'; do
  echo "$step ..."
  sleep 1
done
echo "its files are in $SVC_RELEASE_DIR"
`

const INDEX_HTML = `<!doctype html>
<title>hello</title>
<p>Deployed by svc. Commit a change, then deploy the new commit.</p>
`

const AUTHOR = { name: 'svc', email: 'svc@localhost', date: '2026-01-01T00:00:00Z' }

/**
 * The sample application, a git repository in `folder`, at its newest commit. It is made once; commits that
 * people add stay. Undefined when git is not there or does not do it, which is no reason not to start.
 */
export async function sampleApp(io: Io, log: Log, folder: string): Promise<GitSource | undefined> {
  const git = gitIn(io)
  try {
    if (!existsSync(join(folder, '.git'))) await makeRepository(git, folder)
    const sha = (await git(folder, 'rev-parse', 'HEAD')).trim()
    return { type: 'git', repo_url: pathToFileURL(folder).href, sha }
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ENOENT') log.warn({ err }, 'no sample app could be made')
    return undefined
  }
}

type Git = (folder: string, ...args: readonly string[]) => Promise<string>

/** Git without the habits of this user: no hooks, no signing, no other default branch. */
function gitIn({ env }: Io): Git {
  const own = {
    PATH: env.PATH ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_AUTHOR_DATE: AUTHOR.date,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
    GIT_COMMITTER_DATE: AUTHOR.date,
  }
  const run = promisify(execFile)
  return async (folder, ...args) => (await run('git', [...args], { cwd: folder, env: own })).stdout
}

/** Made aside and moved into place whole: a start that was broken off leaves nothing half done. */
async function makeRepository(git: Git, folder: string): Promise<void> {
  const aside = `${folder}.new`
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true })
  await writeFile(join(aside, 'deploy.sh'), DEPLOY_SH, { mode: 0o755 })
  await writeFile(join(aside, 'index.html'), INDEX_HTML)
  await git(aside, '-c', 'init.defaultBranch=main', 'init', '--quiet')
  await git(aside, 'add', '.')
  await git(aside, 'commit', '--quiet', '--message', 'A page and the script that deploys it')
  await rm(folder, { recursive: true, force: true })
  await rename(aside, folder)
}

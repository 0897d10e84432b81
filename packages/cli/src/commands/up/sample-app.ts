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

/** The name under which the sample is deployed. */
export const SAMPLE_APP = 'hello'

const PACKAGE_JSON = `${JSON.stringify({ name: 'hello', private: true, scripts: { start: 'node server.js' } }, undefined, 2)}
`

const SERVER_JS = `// A host builds and starts this by its package.json: npm start. A real application would do more.
const { createServer } = require('node:http')

const page = \`<!doctype html>
<title>hello</title>
<p>\${process.env.GREETING ?? 'Hello'}.
<p>Deployed by svc: release \${process.env.SVC_RELEASE}, commit \${process.env.SVC_SHA}.
<p>Commit a change, then deploy the new commit.
\`

const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(page)
})
server.listen(process.env.PORT, () => console.log('hello listens'))
// Requests that are under way are answered before it ends.
process.on('SIGTERM', () => server.close())
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
  await writeFile(join(aside, 'package.json'), PACKAGE_JSON)
  await writeFile(join(aside, 'server.js'), SERVER_JS)
  await git(aside, '-c', 'init.defaultBranch=main', 'init', '--quiet')
  await git(aside, 'add', '.')
  await git(aside, 'commit', '--quiet', '--message', 'A server that says hello')
  await rm(folder, { recursive: true, force: true })
  await rename(aside, folder)
}

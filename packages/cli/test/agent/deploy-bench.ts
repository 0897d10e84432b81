import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentBench } from './agent-bench.ts'

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false']

/** Runs git in a repository and returns its output. */
export const gitIn = (path: string, words: readonly string[], input = ''): string =>
  execFileSync('git', ['-C', path, ...IDENTITY, ...words], { encoding: 'utf8', input }).trim()

/** A git repository with one commit for each set of files, and their ids, oldest first. */
export function repository(
  bench: AgentBench,
  ...commits: Record<string, string>[]
): { path: string; shas: string[] } {
  const path = join(bench.folder, 'repository')
  mkdirSync(path)
  gitIn(path, ['init', '--quiet', '--initial-branch=main'])
  const shas = commits.map((files) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
    gitIn(path, ['add', '--all'])
    gitIn(path, ['commit', '--quiet', '--allow-empty', '-m', 'change'])
    return gitIn(path, ['rev-parse', 'HEAD'])
  })
  return { path, shas }
}

export const gitSource = (repo_url: string, sha: string | undefined, more = {}) => ({
  type: 'git',
  repo_url,
  sha,
  ...more,
})

export const SHIPPED_HANDLERS = join(import.meta.dirname, '../../handlers')

/** Runs one job by the shipped handlers. */
export async function run(bench: AgentBench, kind: string, payload: object, more = {}) {
  const job = bench.plane.enqueue(kind, payload)
  const environment = { PATH: process.env.PATH, HOME: bench.folder }
  await bench.start({ once: true, handlersDir: SHIPPED_HANDLERS, environment, ...more }).done
  return job
}

export const appDir = (bench: AgentBench, app = 'shop') => join(bench.stateDir, 'apps', app)

/** A file of the release that is live. */
export const live = (bench: AgentBench, name: string) =>
  readFile(join(appDir(bench), 'current', name), 'utf8')
